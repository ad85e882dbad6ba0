import { type ControlAuditEntry, isControlVerb } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { changesOf } from '../../ui/audit-parts.ts'
import { chip } from '../../ui/parts/lists.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag } from '../../words/format.ts'
import { planPath, tenantPath } from '../record-paths.ts'

/** What the targets of the rows are today. */
export interface KnownTargets {
  tenants: ReadonlySet<string>
  plans: ReadonlySet<string>
  /** By the ids of the operators. */
  operatorNames: ReadonlyMap<string, string>
}

/** When, what, who, and the changed fields. */
export function auditCells(reader: Reader, row: ControlAuditEntry, known: KnownTargets): Html[] {
  const { words, language } = reader
  const what = isControlVerb(row.verb) ? words.consoleVerbs[row.verb] : row.verb
  return [
    timeTag(language, new Date(row.at), 'UTC'),
    html`<span class="audit-what"><span>${what}</span>${targetOf(row, known)}</span>`,
    html`<span class="audit-what">${authorOf(reader, row)}${row.address === null ? undefined : html`<span class="soft breaks">${row.address}</span>`}</span>`,
    changesOf(reader, row),
  ]
}

/** A tenant and a plan that are there lead to their pages; an operator has its name. */
function targetOf(
  { verb, target }: ControlAuditEntry,
  { tenants, plans, operatorNames }: KnownTargets,
): Html | undefined {
  // The id of a session says nothing: whose it is stands beside it.
  if (target === '' || verb === 'session.created' || verb === 'session.ended') return undefined
  const page =
    isOfTenant(verb) && tenants.has(target)
      ? tenantPath(target)
      : verb.startsWith('plan.') && plans.has(target)
        ? planPath(target)
        : undefined
  if (page !== undefined) return html`<a href="${page}" class="breaks">${target}</a>`
  const name = operatorNames.get(target)
  return name === undefined
    ? html`<code class="breaks" dir="auto">${target}</code>`
    : html`<span dir="auto">${name}</span>`
}

const isOfTenant = (verb: string) => /^(?:tenant|move)\.|^(?:env\.revealed|job\.run)$/.test(verb)

/** By the name of the time: the operator or key may be gone. */
function authorOf({ words }: Reader, { actor, actorId, actorName }: ControlAuditEntry): Html {
  const kind = words.auditActors[actor]
  if (actorId === null) return html`<span>${kind}</span>`
  const name = actorName ?? words.consoleKeyNumber(actorId)
  const byKey = actor === 'key' ? chip(kind) : undefined
  return html`<span class="with-chip"><span dir="auto">${name}</span>${byKey}</span>`
}
