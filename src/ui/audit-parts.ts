import { badRequest } from '../http/responses/errors.ts'
import { auditFields } from '../http/wire/audit.ts'
import { type Html, html } from '../lib/html.ts'
import type { Reader } from './reader.ts'

const dayMs = 86_400_000

/** The rows of a day in UTC; all of them if it is empty. Both exclude their moment. */
export function rangeOfDay(day: string): { after: Date | undefined; before: Date | undefined } {
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
