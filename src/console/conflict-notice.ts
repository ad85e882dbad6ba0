import { type ControlVerb, lastChangeOf } from '../control/index.ts'
import { type Html, html } from '../lib/html.ts'
import { banner } from '../ui/parts/states.ts'
import { timeTag } from '../words/format.ts'
import type { ConsoleCall } from './console-call.ts'

interface Conflict {
  verbs: readonly ControlVerb[]
  target: string
  /** What is in force now, by its label. */
  now: readonly (readonly [label: string, value: Html])[]
}

/** Who has changed something since its form was opened, and to what. What was typed stays in the form. */
export async function conflictNotice(
  { control, reader: { words, language } }: ConsoleCall,
  { verbs, target, now }: Conflict,
): Promise<Html> {
  // A change from before the audit log has no author.
  const last = await lastChangeOf(control, { verb: verbs, target })
  const text = last
    ? html`<p>${words.conflictBy(last.actorName ?? words.conflictAuthors[last.actor])} ${timeTag(language, new Date(last.at), 'UTC')}</p>`
    : html`<p>${words.conflict}</p>`
  return banner(
    html`${text}<dl class="facts">${now.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl><p>${words.conflictSave}</p>`,
    'danger',
  )
}
