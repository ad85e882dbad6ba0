import type { FastifyRequest } from 'fastify'
import { badRequest } from '../http/responses/errors.ts'
import { auditFields } from '../http/wire/audit.ts'
import { type AuditFormat, auditFormats } from '../http/wire/audit-lines.ts'
import { type Html, html } from '../lib/html.ts'
import { addressWith } from './list-address.ts'
import { linkButton, selectField, submitButton, textField } from './parts/controls.ts'
import { pager, table } from './parts/lists.ts'
import { emptyState } from './parts/states.ts'
import type { Reader } from './reader.ts'

const dayMs = 86_400_000

/** The rows of a day in UTC; all of them if it is empty. Both exclude their moment. */
function rangeOfDay(day: string): { after: Date | undefined; before: Date | undefined } {
  if (day === '') return { after: undefined, before: undefined }
  const start = startOfDay(day)
  return { after: new Date(start.getTime() - 1), before: new Date(start.getTime() + dayMs) }
}

function startOfDay(day: string): Date {
  const at = new Date(`${day}T00:00:00.000Z`)
  // Date takes 30 February for 2 March.
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day))
    throw badRequest(`day: must be a day like 2026-11-16, not "${day.slice(0, 20)}"`)
  return at
}

/** The sequence of the row before which a page of the log begins. */
export function positionIn(query: URLSearchParams): number | undefined {
  const text = query.get('before')
  if (text === null) return undefined
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`before: must be a whole number, not "${text.slice(0, 20)}"`)
  return Number(text)
}

export const rowsOfAuditPage = 50

const filterNames = ['verb', 'who', 'target', 'day'] as const

/** What the form of a log asks for; empty where it asks for everything. */
export function auditFilterIn(query: URLSearchParams, isVerb: (text: string) => boolean) {
  // PostgreSQL refuses a NUL in a text, and no name has one.
  const [verb = '', who = '', target = '', day = ''] = filterNames.map((name) =>
    (query.get(name) ?? '').replaceAll('\0', ' ').trim(),
  )
  if (verb !== '' && !isVerb(verb))
    throw badRequest(`verb: must be one of the list, not "${verb.slice(0, 40)}"`)
  return { verb, who, target, ...rangeOfDay(day) }
}

interface AuditCall {
  reader: Reader
  request: FastifyRequest
  query: URLSearchParams
}

interface AuditRows<Row> {
  caption: string
  /** Those of the page, and one more if there is one. */
  found: readonly Row[]
  cellsOf: (row: Row) => readonly Html[]
}

/** A page of an audit log, newest first: what was done names the row. */
export function auditList<Row extends { sequence: number }>(
  call: AuditCall,
  { caption, found, cellsOf }: AuditRows<Row>,
): Html {
  const { words } = call.reader
  if (found.length === 0) return emptyState({ title: words.auditEmpty, text: words.auditEmptyText })
  const rows = found.slice(0, rowsOfAuditPage)
  const isFirst = !call.query.has('before')
  const hasMore = found.length > rows.length
  const columns = [
    { name: words.auditWhen, isBefore: true },
    { name: words.auditWhat },
    { name: words.auditWho },
    { name: words.auditChanges },
  ]
  const pageLinks = pager({
    words,
    newer: isFirst ? undefined : addressWith(call, { before: undefined }),
    older: hasMore ? addressWith(call, { before: String(rows.at(-1)?.sequence) }) : undefined,
    labels: [words.auditNewest, words.older],
  })
  return html`<div class="audit-log">${table(caption, columns, rows.map(cellsOf))}</div>${isFirst && !hasMore ? undefined : pageLinks}`
}

/** The links to the log as it is filtered. */
export function auditDownloads(
  { reader: { words }, query }: AuditCall,
  addressOf: (format: AuditFormat) => string,
): Html {
  const chosen = new URLSearchParams(
    filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
  const labels: Record<AuditFormat, string> = { csv: words.auditCsv, ndjson: words.auditNdjson }
  const links = [...auditFormats].sort().map((format) =>
    linkButton(labels[format], `${addressOf(format)}${chosen.size === 0 ? '' : `?${chosen}`}`, {
      look: 'plain',
      icon: 'download',
      more: { download: true },
    }),
  )
  return html`<div class="actions">${links}</div>`
}

interface AuditFilterForm {
  action: string
  /** Each with its text. */
  verbs: readonly (readonly [verb: string, text: string])[]
  /** The fields between those of every log. */
  fields: Html
}

export const auditFilterForm = (
  { reader: { words }, query }: AuditCall,
  { action, verbs, fields }: AuditFilterForm,
): Html =>
  html`<form action="${action}" role="search" aria-label="${words.auditFilter}" class="audit-filter">
${selectField({ label: words.auditWhat, name: 'verb', value: query.get('verb') ?? '', options: [['', words.auditAny], ...verbs] })}
${fields}
${textField({ label: words.auditDay, name: 'day', value: query.get('day') ?? '', more: { type: 'date' } })}
${submitButton(words.searchGo, { look: 'plain', icon: 'search' })}
</form>`

const longest = 120
const mostShown = 8

/** The changed fields of a row of an audit log with their values before and after. */
export function changesOf({ words }: Reader, row: { before: string; after: string }): Html {
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

const isEmpty = (value: unknown) => ['null', '""', '[]', '{}'].includes(JSON.stringify(value ?? null))

function textOf(value: unknown): string {
  if (isEmpty(value)) return '–'
  const shown = plainText(value)
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown
}

/** Without the marks of JSON, which say nothing to a person. */
function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${plainText(each)}`)
    .join(', ')
}
