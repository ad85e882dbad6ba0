import { auditFields } from '../../../http/wire/audit.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { ListedAudit } from '../../../site/index.ts'
import type { Reader } from '../../reader.ts'

const longest = 120
const mostShown = 8

/** The changed fields with their values before and after. */
export function changesOf({ words }: Reader, row: Pick<ListedAudit, 'before' | 'after'>): Html {
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
