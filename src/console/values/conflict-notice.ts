import { lastChangeOf } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { banner } from '../../ui/parts/states.ts'
import { timeTag } from '../../words/format.ts'
import type { ConsoleCall } from '../console-call.ts'

interface Conflict {
  verb: 'tenant.updated' | 'plan.updated'
  target: string
  /** The value that is in force now. */
  now: Html
}

/** What is set now, and who has changed it since the form was opened. What was typed stays in the form. */
export async function conflictNotice(
  { control, reader: { words, language } }: ConsoleCall,
  { verb, target, now }: Conflict,
): Promise<Html> {
  const last = await lastChangeOf(control, { verb, target })
  const by =
    last &&
    html`<p>${words.valueChangedBy(last.actorName ?? words.valueActors[last.actor])} ${timeTag(language, new Date(last.at), 'UTC')}</p>`
  return banner(html`<p>${words.valueConflict}</p>${by}<p>${words.valueNow}: ${now}</p>`, 'warn')
}
