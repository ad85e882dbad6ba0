import { totpAddress } from '../../accounts/index.ts'
import {
  beginPasskeySetUp,
  type OpenedInvite,
  openInvite,
  setUpWithPasskey,
  setUpWithTotp,
} from '../../control/index.ts'
import { routeNotFound } from '../../http/responses/errors.ts'
import { consoleCookie } from '../../http/session/session-cookie.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { codeField, submitButton, textField } from '../../ui/parts/controls.ts'
import { qrCode } from '../../ui/parts/qr-code.ts'
import { banner } from '../../ui/parts/states.ts'
import { answerFields, hasPasskeys } from '../../ui/passkey-form.ts'
import { type FormFaults, noFaults, textsBesides } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath, consolePrefix } from '../console-call.ts'
import { answerOfRefusal, questionPage } from '../frame.ts'
import { operatorRequestOf, signInFaults } from '../operator-request.ts'
import { recoveryCodes } from '../recovery-codes.ts'
import { isUnencrypted } from './log-in.ts'

const tokenOf = ({ params: { token = '' } }: ConsoleCall): string => token

export const showInvite: ConsoleHandler = async (call) => ({
  page: invitePage(call, await openInvite(call.control, tokenOf(call))),
})

export const setUp: ConsoleHandler = async (call) => {
  const { app, control, request, reader, form } = call
  const invite = await openInvite(control, tokenOf(call))
  const given = { token: tokenOf(call), password: form.get('password') ?? '', code: form.get('code') ?? '' }
  const opened = await orRefusal(setUpWithTotp(control, operatorRequestOf(call), given))
  if (opened instanceof Refusal)
    return answerOfRefusal(opened, invitePage(call, invite, signInFaults(reader, opened)))
  const { words } = reader
  return {
    page: questionPage(reader, {
      title: words.recoveryTitle,
      content: recoveryCodes(reader, opened.recoveryCodes, consolePrefix),
    }),
    headers: { 'set-cookie': consoleCookie(app, request, opened.token) },
  }
}

export const postPasskeyCreation: ConsoleHandler = async (call) => {
  if (!hasPasskeys(call)) throw routeNotFound()
  return { json: await beginPasskeySetUp(call.control, operatorRequestOf(call), tokenOf(call)) }
}

export const setUpByPasskey: ConsoleHandler = async (call) => {
  const { app, control, request, reader, form } = call
  if (!hasPasskeys(call)) throw routeNotFound()
  const invite = await openInvite(control, tokenOf(call))
  const passkey = {
    name: form.get('name')?.trim() ?? '',
    response: form.get('response') ?? '',
    challenge: form.get('challenge') ?? '',
  }
  const given = { token: tokenOf(call), ...passkey }
  const opened = await orRefusal(setUpWithPasskey(control, operatorRequestOf(call), given))
  if (opened instanceof Refusal)
    return answerOfRefusal(opened, invitePage(call, invite, signInFaults(reader, opened)))
  return { to: consolePrefix, headers: { 'set-cookie': consoleCookie(app, request, opened.token) } }
}

function invitePage(
  call: ConsoleCall,
  { operator, totpSecret }: OpenedInvite,
  faults: FormFaults = noFaults,
): string {
  const { app, reader } = call
  const { words } = reader
  const { username } = operator
  const address = totpAddress(totpSecret, { site: app.config.console.hostname, username })
  const content = html`<p>${words.consoleSetUpText(username)}</p>
${isUnencrypted(call) ? banner(html`<p>${words.openLine}</p>`, 'warn') : undefined}
${textsBesides(faults, ['password', 'code', 'name']).map((text) => banner(html`<p>${text}</p>`, 'danger'))}
<h2>${words.consolePasswordAndCode}</h2>
<p>${words.totpScan}</p>
${qrCode(address, words.totpQr)}
${codeField({ id: 'secret', label: words.totpSecret, text: totpSecret, copy: { label: words.copy, name: words.totpCopySecret } })}
<form method="post" action="${pathOf(call)}" class="stack">
<input name="username" value="${username}" type="text" autocomplete="username" readonly hidden>
${textField({
  label: words.newPassword,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.get('password'),
  more: { type: 'password', autocomplete: 'new-password', required: true },
})}
${textField({
  label: words.code,
  name: 'code',
  hint: words.consoleCodeOfApp,
  fault: faults.get('code'),
  more: { autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 10, required: true },
})}
<p>${submitButton(words.consoleSetUp)}</p>
</form>
${hasPasskeys(call) ? passkeyPart(call, faults) : undefined}`
  return questionPage(reader, { title: words.consoleSetUpTitle, content })
}

const pathOf = (call: ConsoleCall, more = '') => consolePath(`invite/${tokenOf(call)}${more}`)

/** In place of a password and codes; the script shows it. */
function passkeyPart(call: ConsoleCall, faults: FormFaults): Html {
  const { words } = call.reader
  return html`<form method="post" action="${pathOf(call, '/passkey')}" class="stack passkey-form" data-passkey="creation" data-from="${pathOf(call, '/passkeys')}" hidden>
<h2>${words.consoleOrPasskey}</h2>
<p>${words.passkeysText}</p>
${answerFields}
${textField({
  label: words.passkeyName,
  name: 'name',
  id: 'passkey-name',
  hint: words.passkeyNameHint,
  fault: faults.get('name'),
  more: { required: true, maxlength: 64, autocomplete: 'off', dir: 'auto' },
})}
<p>${submitButton(words.passkeyAdd, { look: 'plain' })}</p>
<p class="fault" role="alert" hidden>${words.passkeyFailed}</p>
</form>`
}
