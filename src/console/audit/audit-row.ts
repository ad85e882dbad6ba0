import { type ControlAuditEntry, isControlVerb } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { changesOf } from '../../ui/audit-parts.ts'
import { chip } from '../../ui/parts/lists.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag } from '../../words/format.ts'
import { consolePath } from '../console-call.ts'

/** When, what, who, and the changed fields. */
export function auditCells(
  reader: Reader,
  row: ControlAuditEntry,
  operatorNames: ReadonlyMap<string, string>,
): Html[] {
  const { words, language } = reader
  const what = isControlVerb(row.verb) ? words.consoleVerbs[row.verb] : row.verb
  return [
    timeTag(language, new Date(row.at), 'UTC'),
    html`<span class="audit-what"><span>${what}</span>${targetOf(row, operatorNames)}</span>`,
    html`<span class="audit-what">${authorOf(reader, row)}${row.address === null ? undefined : html`<span class="soft breaks">${row.address}</span>`}</span>`,
    changesOf(reader, row),
  ]
}

/** A tenant and a plan lead to their pages, unless they were deleted; an operator has its name. */
function targetOf(
  { verb, target }: ControlAuditEntry,
  operatorNames: ReadonlyMap<string, string>,
): Html | undefined {
  if (target === '') return undefined
  const [, subject = ''] = /^(tenant|plan)\.(?!deleted)/.exec(verb) ?? []
  if (subject !== '')
    return html`<a href="${consolePath(`${subject}s/${encodeURIComponent(target)}`)}" class="breaks">${target}</a>`
  const name = operatorNames.get(target)
  return name === undefined
    ? html`<code class="breaks" dir="auto">${target}</code>`
    : html`<span dir="auto">${name}</span>`
}

/** By the name of the time: the operator or key may be gone. */
function authorOf({ words }: Reader, { actor, actorId, actorName }: ControlAuditEntry): Html {
  const kind = words.auditActors[actor]
  if (actorId === null) return html`<span>${kind}</span>`
  const name = actorName ?? words.consoleKeyNumber(actorId)
  const byKey = actor === 'key' ? chip(kind) : undefined
  return html`<span class="with-chip"><span dir="auto">${name}</span>${byKey}</span>`
}
