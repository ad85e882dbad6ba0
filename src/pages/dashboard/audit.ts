import { findUserByName } from '../../accounts/index.ts'
import { badRequest } from '../../http/responses/errors.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import { auditExport } from '../../http/wire/audit-export.ts'
import type { AuditFormat } from '../../http/wire/audit-lines.ts'
import { type Html, html } from '../../lib/html.ts'
import { type AuditFilter, auditVerbs, isAuditVerb, type ListedAudit, listAudit } from '../../site/index.ts'
import { changesOf, positionIn, rangeOfDay } from '../../ui/audit-parts.ts'
import { addressWith } from '../../ui/list-address.ts'
import { linkButton, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, pager, table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag } from '../../words/format.ts'
import type { PageCall, PageHandler } from '../page-call.ts'
import { dashboardPage } from './dashboard-frame.ts'

const rowsOfPage = 50

export const showAudit: PageHandler = async (call) => {
  const before = positionIn(call.query)
  const filter = await filterIn(call)
  const found = filter ? await listAudit(call.site, filter, { before, limit: rowsOfPage + 1 }) : []
  const [rows, hasMore] = [found.slice(0, rowsOfPage), found.length > rowsOfPage]
  return { page: auditPage(call, { rows, isFirst: before === undefined, hasMore }) }
}

export const downloadAudit =
  (format: AuditFormat): PageHandler =>
  async (call) =>
    sendLines(call.request, call.reply, auditExport(call.site, await filterIn(call), format))

/** Undefined if no user has the name: then there is nothing to show. */
async function filterIn({ site, query }: PageCall): Promise<AuditFilter | undefined> {
  const [verb, who, day] = ['verb', 'who', 'day'].map((name) => query.get(name)?.trim() ?? '') as [
    string,
    string,
    string,
  ]
  if (verb !== '' && !isAuditVerb(verb))
    throw badRequest(`verb: must be one of the list, not "${verb.slice(0, 40)}"`)
  // PostgreSQL refuses a NUL in a text, and no name has one.
  const user = who === '' ? undefined : await findUserByName(site.db, who.replaceAll('\0', ' '))
  if (who !== '' && !user) return undefined
  return {
    verb: verb === '' ? undefined : verb,
    userId: user?.id,
    ...rangeOfDay(day),
  }
}

interface AuditRows {
  rows: readonly ListedAudit[]
  isFirst: boolean
  hasMore: boolean
}

function auditPage(call: PageCall, { rows, isFirst, hasMore }: AuditRows): string {
  const { reader, query } = call
  const { words } = reader
  const last = rows.at(-1)
  const pageLinks = pager({
    words,
    newer: isFirst ? undefined : addressWith(call, { before: undefined }),
    older: hasMore && last ? addressWith(call, { before: String(last.sequence) }) : undefined,
    labels: [words.auditNewest, words.older],
  })
  const list =
    rows.length === 0
      ? emptyState({ title: words.auditEmpty, text: words.auditEmptyText })
      : html`<div class="audit-log">${table(
          words.audit,
          [words.auditWhen, words.auditWhat, words.auditWho, words.auditChanges].map((name) => ({ name })),
          rows.map((row) => cellsOf(reader, row)),
        )}</div>${isFirst && !hasMore ? undefined : pageLinks}`
  const chosen = new URLSearchParams(
    ['verb', 'who', 'day'].flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
  const download = (label: string, format: AuditFormat) =>
    linkButton(label, `/dashboard/audit.${format}?${chosen}`, {
      look: 'plain',
      icon: 'download',
      more: { download: true },
    })
  const downloads = html`${download(words.auditCsv, 'csv')}${download(words.auditNdjson, 'ndjson')}`
  const actions = html`<div class="actions">${downloads}</div>`
  const content = html`<p class="soft">${words.auditText}</p>${filterForm(call)}${list}`
  return dashboardPage(call, { part: '/dashboard/audit', actions, content })
}

function filterForm({ query, reader: { words } }: PageCall): Html {
  const verbs = auditVerbs.map((verb) => [verb, words.auditVerbs[verb]] as const)
  return html`<form action="/dashboard/audit" role="search" aria-label="${words.auditFilter}" class="audit-filter">
${selectField({ label: words.auditWhat, name: 'verb', value: query.get('verb') ?? '', options: [['', words.auditAny], ...verbs] })}
${textField({ label: words.username, name: 'who', value: query.get('who') ?? '', more: { maxlength: 64, autocapitalize: 'off', autocomplete: 'off', dir: 'auto' } })}
${textField({ label: words.auditDay, name: 'day', value: query.get('day') ?? '', more: { type: 'date' } })}
${submitButton(words.searchGo, { look: 'plain', icon: 'search' })}
</form>`
}

function cellsOf(reader: Reader, row: ListedAudit): Html[] {
  const { words, language } = reader
  const what = isAuditVerb(row.verb) ? words.auditVerbs[row.verb] : row.verb
  return [
    timeTag(language, new Date(row.at), 'UTC'),
    html`<span class="audit-what"><span>${what}</span>${targetOf(row)}</span>`,
    html`<span class="audit-what">${authorOf(reader, row)}${row.address === null ? undefined : html`<span class="soft breaks">${row.address}</span>`}</span>`,
    changesOf(reader, row),
  ]
}

/** A user and a tag by name, everything else by its id. */
function targetOf({ verb, target, targetName }: ListedAudit): Html | undefined {
  if (target === '' || verb === 'setting.changed') return undefined
  if (verb.startsWith('tag.')) return html`<span dir="auto" class="breaks">${target}</span>`
  return targetName === null
    ? html`<code class="breaks">${target}</code>`
    : html`<a href="/dashboard/users/${target}" dir="auto">${targetName}</a>`
}

function authorOf({ words }: Reader, { actor, userId, username }: ListedAudit): Html {
  const kind = words.auditActors[actor]
  if (userId === null) return html`<span>${kind}</span>`
  const byKey = actor === 'key' ? chip(kind) : undefined
  const name =
    username === null
      ? html`<span>${words.auditDeletedUser} <code class="breaks">${userId}</code></span>`
      : html`<a href="/dashboard/users/${userId}" dir="auto">${username}</a>`
  return html`<span class="with-chip">${name}${byKey}</span>`
}
