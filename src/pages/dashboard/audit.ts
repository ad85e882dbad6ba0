import { findUserByName } from '../../accounts/index.ts'
import { badRequest } from '../../http/responses/errors.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import { auditFields } from '../../http/wire/audit.ts'
import { type AuditFormat, auditExport } from '../../http/wire/audit-export.ts'
import { type Html, html } from '../../lib/html.ts'
import { type AuditFilter, auditVerbs, isAuditVerb, type ListedAudit, listAudit } from '../../site/index.ts'
import { linkButton, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, pager, table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag } from '../../words/format.ts'
import { addressWith } from '../browse/lists/read-page.ts'
import type { PageCall, PageHandler } from '../page-call.ts'
import { dashboardPage } from './dashboard-frame.ts'

const rowsOfPage = 50

export const showAudit: PageHandler = async (call) => {
  const before = positionIn(call)
  const filter = await filterIn(call)
  const found = filter ? await listAudit(call.site, filter, { before, limit: rowsOfPage + 1 }) : []
  const [rows, hasMore] = [found.slice(0, rowsOfPage), found.length > rowsOfPage]
  return { page: auditPage(call, { rows, isFirst: before === undefined, hasMore }) }
}

export const downloadAudit =
  (format: AuditFormat): PageHandler =>
  async (call) =>
    sendLines(call.request, call.reply, auditExport(call.site, await filterIn(call), format))

const dayMs = 86_400_000

/** Undefined if no user has the name: then there is nothing to show. */
async function filterIn({ site, query }: PageCall): Promise<AuditFilter | undefined> {
  const [verb, who, day] = ['verb', 'who', 'day'].map((name) => query.get(name)?.trim() ?? '') as [
    string,
    string,
    string,
  ]
  if (verb !== '' && !isAuditVerb(verb))
    throw badRequest(`verb: must be one of the list, not "${verb.slice(0, 40)}"`)
  const start = day === '' ? undefined : startOfDay(day)
  // PostgreSQL refuses a NUL in a text, and no name has one.
  const user = who === '' ? undefined : await findUserByName(site.db, who.replaceAll('\0', ' '))
  if (who !== '' && !user) return undefined
  return {
    verb: verb === '' ? undefined : verb,
    userId: user?.id,
    // Both exclude their moment.
    after: start && new Date(start.getTime() - 1),
    before: start && new Date(start.getTime() + dayMs),
  }
}

function startOfDay(day: string): Date {
  const at = new Date(`${day}T00:00:00.000Z`)
  // Date takes 30 February for 2 March.
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day))
    throw badRequest(`day: must be a day like 2026-11-16, not "${day.slice(0, 20)}"`)
  return at
}

function positionIn({ query }: PageCall): number | undefined {
  const text = query.get('before')
  if (text === null) return undefined
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`before: must be a whole number, not "${text.slice(0, 20)}"`)
  return Number(text)
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

const longest = 120
const mostShown = 8

/** The changed fields with their values before and after. */
function changesOf({ words }: Reader, row: Pick<ListedAudit, 'before' | 'after'>): Html {
  const [before, after] = [auditFields(row.before), auditFields(row.after)]
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !(isEmpty(before[name]) && isEmpty(after[name])),
  )
  const lines = names.slice(0, mostShown).map((name) => {
    const [was, is] = [textOf(before[name]), textOf(after[name])]
    const value =
      Object.hasOwn(before, name) && Object.hasOwn(after, name)
        ? html`<del dir="auto">${was}</del> <span aria-hidden="true">→</span> <ins dir="auto">${is}</ins>`
        : html`<span dir="auto">${Object.hasOwn(after, name) ? is : was}</span>`
    return html`<li><span class="soft">${name}:</span> ${value}</li>`
  })
  const rest = names.length > mostShown ? html`<li class="soft">${words.auditMore}</li>` : undefined
  return lines.length === 0 ? html`` : html`<ul class="audit-changes">${lines}${rest}</ul>`
}

const isEmpty = (value: unknown) => ['null', '""', '[]'].includes(JSON.stringify(value ?? null))

function textOf(value: unknown): string {
  if (isEmpty(value)) return '–'
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown
}
