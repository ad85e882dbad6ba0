import { totpAddress } from '../../accounts/index.ts'
import { beginOperatorTotp, renewOperatorCodes, setUpOperatorTotp } from '../../control/index.ts'
import { html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tokenField } from '../../ui/form.ts'
import { codeField, submitButton, textField } from '../../ui/parts/controls.ts'
import { qrCode } from '../../ui/parts/qr-code.ts'
import { orRefusal } from '../../ui/refused.ts'
import { type ConsoleCall, type ConsoleHandler, callerOf, consolePath } from '../console-call.ts'
import { answerOfRefusal, consolePage } from '../frame.ts'
import { operatorRequestOf, signInFaults } from '../operator-request.ts'
import { recoveryCodes } from '../recovery-codes.ts'

/** One that was scanned already is shown again after a proof. */
export const showTotp: ConsoleHandler = async (call) => ({
  page: totpPage(call, { sealed: call.form.get('setup') ?? undefined }),
})

export const setUpTotp: ConsoleHandler = async (call) => {
  const { control, form, reader } = call
  const given = { sealed: form.get('setup') ?? '', code: form.get('code') ?? '' }
  const codes = await orRefusal(setUpOperatorTotp(control, operatorRequestOf(call), callerOf(call), given))
  if (!(codes instanceof Refusal)) return { page: codesPage(call, codes) }
  const fault = [...signInFaults(reader, codes).values()].join(' ')
  return answerOfRefusal(codes, totpPage(call, { sealed: given.sealed, fault }))
}

export const renewCodes: ConsoleHandler = async (call) => ({
  page: codesPage(call, await renewOperatorCodes(call.control, callerOf(call))),
})

/** With the secret in it until a code confirms it. */
function totpPage(
  call: ConsoleCall,
  { sealed, fault }: { sealed?: string | undefined; fault?: string } = {},
): string {
  const { app, reader, control } = call
  const { words } = reader
  const setUp = beginOperatorTotp(control, operatorRequestOf(call), callerOf(call), sealed)
  const { username } = callerOf(call)
  const address = totpAddress(setUp.secret, { site: app.config.console.hostname, username })
  const content = html`<div class="section"><p>${words.totpScan}</p>
${qrCode(address, words.totpQr)}
<div class="stack">${codeField({ id: 'secret', label: words.totpSecret, text: setUp.secret, copy: { label: words.copy, name: words.totpCopySecret } })}</div>
<form method="post" action="${consolePath('me/totp')}" class="stack">
${tokenField(reader)}
<input name="setup" value="${setUp.sealed}" type="hidden">
${textField({
  label: words.code,
  name: 'code',
  hint: words.totpConfirmHint,
  fault,
  more: { autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 10, required: true },
})}
<p>${submitButton(words.totpOn)}</p>
</form></div>`
  return consolePage(call, { part: 'me', title: words.totpTitle, content })
}

const codesPage = (call: ConsoleCall, codes: readonly string[]): string =>
  consolePage(call, {
    part: 'me',
    title: call.reader.words.recoveryTitle,
    content: recoveryCodes(call.reader, codes, consolePath('me')),
  })
