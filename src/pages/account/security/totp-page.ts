import { type TotpSetUp, type TotpState, totpAddress } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { writeAgo } from '../../../words/format.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { codeField, linkButton, submitButton, textField } from '../../parts/controls.ts'
import { banner } from '../../parts/states.ts'
import { qrCode } from '../apps/qr-code.ts'
import { formFault, settingsPage, settingsPart } from '../settings/settings-frame.ts'

/** One of `setUp` and `state` is there. */
interface TotpForm {
  setUp?: TotpSetUp
  state?: TotpState
  fault: string | undefined
  /** Of the two forms of a second step that is on: the one that was refused. */
  form?: 'codes' | 'off' | undefined
}

export function totpPage(call: PageCall, { setUp, state, fault, form }: TotpForm): string {
  const { words } = call.reader
  const content = html`${state && html`${form === undefined ? formFault(fault) : undefined}${switchedOn(call, state, { form, fault })}`}
${setUp && setUpForm(call, setUp, fault)}`
  return settingsPage(call, '/settings/security', settingsPart(words.totpTitle, content))
}

function setUpForm(call: PageCall, { secret, sealed }: TotpSetUp, fault: string | undefined): Html {
  const { reader, site, session } = call
  const { words } = reader
  const address = totpAddress(secret, { site: site.hostname, username: session?.username ?? '' })
  return html`<p>${words.totpScan}</p>
${qrCode(address, words.totpQr)}
${codeField({ id: 'secret', label: words.totpSecret, text: secret, copy: { label: words.copy, name: words.totpCopySecret } })}
<form method="post" action="/settings/security/totp" class="stack">
${tokenField(reader)}
<input name="setup" value="${sealed}" type="hidden">
${textField({
  label: words.code,
  name: 'code',
  hint: words.totpConfirmHint,
  fault,
  more: {
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    maxlength: 10,
    required: true,
    autofocus: fault !== undefined,
  },
})}
<p>${submitButton(words.totpOn)}</p>
</form>`
}

function switchedOn(
  { reader, site }: PageCall,
  { since, codesLeft }: TotpState,
  refused: Pick<TotpForm, 'form' | 'fault'>,
): Html {
  const { words, language } = reader
  const ago = writeAgo(language, since, site.clock.now()) ?? words.momentsAgo
  const form = (action: 'codes' | 'off', text: string, button: Html) => {
    const fault = refused.form === action ? refused.fault : undefined
    const field = textField({
      label: words.code,
      name: 'code',
      id: `code-${action}`,
      hint: words.codeHint,
      fault,
      more: {
        autocomplete: 'one-time-code',
        autocapitalize: 'none',
        spellcheck: 'false',
        maxlength: 40,
        required: true,
        autofocus: fault !== undefined,
      },
    })
    return html`<form method="post" action="/settings/security/totp/${action}" class="stack">${tokenField(reader)}<p>${text}</p>${field}<p>${button}</p></form>`
  }
  return html`<p>${words.totpSince(ago)}</p>
${codesLeft <= 3 ? banner(html`<p>${words.codesLeft(String(codesLeft))}</p>`, 'warn') : html`<p>${words.codesLeft(String(codesLeft))}</p>`}
${form('codes', words.renewCodesText, submitButton(words.renewCodes, { look: 'plain' }))}
${form('off', words.totpOffText, submitButton(words.totpOff, { look: 'danger' }))}`
}

/** Shown once. `isNew`: the second step was just switched on. */
export function recoveryCodesPage(call: PageCall, codes: readonly string[], isNew: boolean): string {
  const { words } = call.reader
  const content = html`${isNew ? banner(html`<p>${words.totpIsOn}</p>`, 'good') : undefined}
<p>${words.recoveryText}</p>
<ul class="recovery-codes mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p class="soft">${words.recoveryOnce}</p>
<p>${linkButton(words.recoveryKept, '/settings/security')}</p>`
  return settingsPage(call, '/settings/security', settingsPart(words.recoveryTitle, content))
}
