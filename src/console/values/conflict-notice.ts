import { type Html, html } from '../../lib/html.ts'
import { banner } from '../../ui/parts/states.ts'
import type { ConsoleCall } from '../console-call.ts'

/** What is in force now, and who has changed it since the form was opened. What was typed stays in the form. */
export async function conflictNotice(
  { reader: { words } }: ConsoleCall,
  _target: string,
  now: Html,
): Promise<Html> {
  return banner(html`<p>${words.valueConflict}</p><p>${words.valueNow}: ${now}</p>`, 'warn')
}
