import { proveByPassword, proveByPasskey as proveWithPasskey } from '../../control/index.ts'
import { routeNotFound } from '../../http/responses/errors.ts'
import { html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tokenField } from '../../ui/form.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { hasPasskeys, passkeyForm } from '../../ui/passkey-form.ts'
import { type FormFaults, noFaults, textsBesides } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { type ConsoleCall, type ConsoleHandler, callerOf, consolePath } from '../console-call.ts'
import { answerOfRefusal, questionPage } from '../frame.ts'
import { consoleTarget, operatorRequestOf, signInFaults } from '../operator-request.ts'

/** Where pages lead that need a proof of the last ten minutes. */
export const showProve: ConsoleHandler = async (call) => {
  const to = consoleTarget(call.query.get('to') ?? '')
  return callerOf(call).isProven ? { to } : { page: provePage(call, to) }
}

export const prove: ConsoleHandler = async (call) => {
  const to = consoleTarget(call.form.get('to') ?? '')
  const given = call.form.get('password') ?? ''
  const refusal = await orRefusal(proveByPassword(call.control, callerOf(call), given))
  if (!(refusal instanceof Refusal)) return { to }
  return answerOfRefusal(refusal, provePage(call, to, signInFaults(call.reader, refusal)))
}

export const proveByPasskey: ConsoleHandler = async (call) => {
  const { control, form, reader } = call
  if (!hasPasskeys(call)) throw routeNotFound()
  const to = consoleTarget(form.get('to') ?? '')
  const answer = { response: form.get('response') ?? '', challenge: form.get('challenge') ?? '' }
  const refusal = await orRefusal(proveWithPasskey(control, operatorRequestOf(call), callerOf(call), answer))
  if (!(refusal instanceof Refusal)) return { to }
  return answerOfRefusal(refusal, provePage(call, to, new Map([['', reader.words.passkeyRefused]])))
}

function provePage(call: ConsoleCall, to: string, faults: FormFaults = noFaults): string {
  const { reader } = call
  const { words } = reader
  const content = html`<p>${words.proofWhy}</p>
${textsBesides(faults, ['current']).map((text) => banner(html`<p>${text}</p>`, 'danger'))}
<form method="post" action="${consolePath('prove')}" class="stack">
${tokenField(reader)}
<input name="to" value="${to}" type="hidden">
<input name="username" value="${callerOf(call).username}" type="text" autocomplete="username" readonly hidden>
${textField({
  label: words.currentPassword,
  name: 'password',
  fault: faults.get('current'),
  more: { type: 'password', autocomplete: 'current-password', required: true, autofocus: true },
})}
<p>${submitButton(words.goOn)}</p>
</form>
${hasPasskeys(call) ? passkeyForm(reader, { action: consolePath('prove/passkey'), to, from: consolePath('-/passkeys') }) : undefined}`
  return questionPage(reader, { title: words.proveTitle, content })
}
