import { type Html, html } from '../../lib/html.ts'
import type { UserSummary } from '../../media/index.ts'
import type { TenantWithStats } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, pager, table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import { writeNumber, writeSize } from '../../words/format.ts'
import { type ConsoleCall, consolePath, mayChange } from '../console-call.ts'
import { section } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'
import { pageIn } from './tenant-query.ts'

const usersOfPage = 50

/** The users that the address asks for, by name. */
export function usersIn(query: URLSearchParams) {
  const prefix = query.get('user')?.trim().replaceAll('\0', ' ').slice(0, 200) ?? ''
  return {
    prefix: prefix === '' ? undefined : prefix,
    sort: 'name' as const,
    offset: (pageIn(query.get('page') ?? '1') - 1) * usersOfPage,
    // One more, to know whether there is a next page.
    limit: usersOfPage + 1,
  }
}

export function usersOf(call: ConsoleCall, { id }: TenantWithStats, found: readonly UserSummary[]): Html {
  const { reader, query } = call
  const { words } = reader
  const users = found.slice(0, usersOfPage)
  const names = [words.username, words.email, words.role, words.filesTab, words.storage]
  const isNumber = new Set([words.filesTab, words.storage])
  const columns = [...names, ...(mayChange(call) ? [words.action] : [])].map((name) => ({
    name,
    isNumber: isNumber.has(name),
  }))
  const list =
    users.length === 0
      ? emptyState({ title: words.noUsers, text: words.noUsersText })
      : table(
          words.users,
          columns,
          users.map((user) => cellsOf(call, id, user)),
        )
  const search = html`<form action="${tenantPath(id)}#users" role="search" aria-label="${words.users}" class="filters">
${textField({ label: words.searchUsers, name: 'user', id: 'user-text', value: query.get('user') ?? '', more: { type: 'search', maxlength: 200, autocapitalize: 'off', autocomplete: 'off', dir: 'auto' } })}
${submitButton(words.searchGo, { look: 'plain', icon: 'search' })}
</form>`
  return html`<div id="users" class="tenant-users">${section(words.users, html`${search}${list}${pagesOf(call, id, found)}`)}</div>`
}

function pagesOf({ reader: { words }, query }: ConsoleCall, id: string, found: readonly UserSummary[]) {
  const page = pageIn(query.get('page') ?? '1')
  if (page === 1 && found.length <= usersOfPage) return undefined
  const at = (number: number) => {
    const fields = new URLSearchParams({ user: query.get('user') ?? '', page: String(number) })
    return `${tenantPath(id)}?${fields}#users`
  }
  return pager({
    words,
    newer: page > 1 ? at(page - 1) : undefined,
    older: found.length > usersOfPage ? at(page + 1) : undefined,
    labels: [words.previousPage, words.listNext],
  })
}

function cellsOf(call: ConsoleCall, id: string, user: UserSummary): Html[] {
  const { reader } = call
  const { words, language } = reader
  const { username, email, role, isBanned, files, storedBytes } = user
  const path = consolePath(`tenants/${id}/users/${encodeURIComponent(username)}/password`)
  const more = { 'aria-label': `${words.tenantResetPassword}: ${username}` }
  const reset = html`<form method="post" action="${path}">${tokenField(reader)}${submitButton(words.tenantResetPassword, { look: 'plain', isDense: true, more })}</form>`
  return [
    html`<span class="with-chip"><span dir="auto">${username}</span>${isBanned ? chip(words.banned, 'danger') : undefined}</span>`,
    email === undefined
      ? html`<span class="soft">${words.noEmail}</span>`
      : html`<span dir="auto" class="breaks">${email}</span>`,
    html`${words.roles[role]}`,
    html`${writeNumber(language, files)}`,
    html`${writeSize(language, storedBytes)}`,
    ...(mayChange(call) ? [reset] : []),
  ]
}
