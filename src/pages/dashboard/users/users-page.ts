import { mayDo } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { listUserSummaries, type UserSort, type UserSummary, userSorts } from '../../../media/index.ts'
import { limitOf } from '../../../site/index.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { linkButton } from '../../../ui/parts/controls.ts'
import { type Column, chip, pager, table } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeAgo, writeNumber, writeSize } from '../../../words/format.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage, limitUse, pageNumberIn, searchForm } from '../dashboard-frame.ts'
import { emailOf } from './user-page.ts'

const usersOfPage = 50

export const showUsers: PageHandler = async (call) => {
  const [page, sort] = [pageNumberIn(call), sortIn(call)]
  const prefix = call.query.get('q')?.trim() ?? ''
  const found = await listUserSummaries(call.site, userOf(call), {
    // PostgreSQL refuses a NUL in a text, and no name has one.
    prefix: prefix === '' ? undefined : prefix.replaceAll('\0', ' '),
    sort,
    offset: (page - 1) * usersOfPage,
    limit: usersOfPage + 1,
  })
  const [summaries, hasNext] = [found.slice(0, usersOfPage), found.length > usersOfPage]
  return { page: await usersPage(call, { summaries, sort, page, hasNext }) }
}

const sortIn = ({ query }: PageCall): UserSort =>
  userSorts.find((each) => each === query.get('sort')) ?? 'joined'

interface Users {
  summaries: readonly UserSummary[]
  sort: UserSort
  page: number
  hasNext: boolean
}

async function usersPage(call: PageCall, users: Users): Promise<string> {
  const { reader, query, site } = call
  const { words, language, account } = reader
  const newUser =
    account?.user && mayDo(account.user.role, 'manage-users')
      ? linkButton(words.newUser, '/dashboard/users/new', { icon: 'add' })
      : undefined
  const limit = limitOf(site.values, 'SERVICE_MAX_USERS')
  const most =
    limit === undefined
      ? undefined
      : html`<p class="soft">${words.mostUsers(writeNumber(language, limit))}</p>`
  const use = await limitUse(call, 'SERVICE_MAX_USERS', words.users)
  const content = html`${most}${use}${searchForm(call, { action: '/dashboard/users', label: words.searchUsers, kept: { sort: query.get('sort') } })}
${users.summaries.length === 0 ? emptyState({ title: words.noUsers, text: words.noUsersText }) : list(call, users)}`
  const done = query.get('deleted') === '1' ? html`<p>${words.userDeleted}</p>` : undefined
  return dashboardPage(call, { part: '/dashboard/users', actions: newUser, content, done })
}

function list(call: PageCall, { summaries, sort, page, hasNext }: Users): Html {
  const { words } = call.reader
  const by = (name: string, value: UserSort, usual = false): Column => ({
    name,
    sortAddress: addressWith(call, { sort: usual ? undefined : value, page: undefined, deleted: undefined }),
    ...(sort === value && { sorted: value === 'name' ? 'ascending' : 'descending' }),
  })
  const columns = [
    by(words.username, 'name'),
    { name: words.email },
    { name: words.role },
    { ...by(words.filesTab, 'files'), isNumber: true },
    { ...by(words.storage, 'storage'), isNumber: true },
    by(words.joined, 'joined', true),
  ]
  const at = (number: number) => addressWith(call, { page: number === 1 ? undefined : String(number) })
  const pageLinks = pager({
    words,
    newer: page > 1 ? at(page - 1) : undefined,
    older: hasNext ? at(page + 1) : undefined,
    labels: [words.previousPage, words.listNext],
  })
  return html`${table(
    words.users,
    columns,
    summaries.map((person) => row(call, person)),
  )}${page > 1 || hasNext ? pageLinks : undefined}`
}

function row({ reader, site }: PageCall, person: UserSummary): Html[] {
  const { words, language } = reader
  const banned = person.isBanned ? chip(words.banned, 'danger') : undefined
  return [
    html`<span class="with-chip"><a href="/dashboard/users/${person.id}" dir="auto">${person.username}</a>${banned}</span>`,
    emailOf(words, person),
    html`${words.roles[person.role]}`,
    html`${writeNumber(language, person.files)}`,
    html`${writeSize(language, person.storedBytes)}`,
    html`${writeAgo(language, person.createdAt, site.clock.now()) ?? words.momentsAgo}`,
  ]
}
