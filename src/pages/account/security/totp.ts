import {
  disableTotp,
  enableTotp,
  hasTotp,
  noTotp,
  readTotp,
  renewRecoveryCodes,
  type TotpSetUp,
  type TotpState,
  takeCode,
  totpAddress,
  totpSetUp,
  type UserCaller,
} from '../../../accounts/index.ts'
import { notify } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { siteKey } from '../../../http/site-key.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { codeField, linkButton, submitButton, textField } from '../../../ui/parts/controls.ts'
import { qrCode } from '../../../ui/parts/qr-code.ts'
import { banner } from '../../../ui/parts/states.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { writeAgo } from '../../../words/format.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { codeFault } from '../account-faults.ts'
import { formFault, settingsPage, settingsPart } from '../settings/settings-frame.ts'

export const showTotp: PageHandler = async (call) => pageOf(call)

export const switchOnTotp: PageHandler = async (call) => {
  const { app, site, form } = call
  const sealed = form.get('setup') ?? ''
  const given = { sealed, code: form.get('code') ?? '', key: keyOf(call) }
  const codes = await orRefusal(
    changeSite(app.control, site, (changing) => enableTotp(changing, userOf(call), given)),
  )
  if (!(codes instanceof Refusal)) {
    await notify(call, { userId: userOf(call).userId, notice: 'second-step-on' })
    return { page: recoveryCodesPage(call, codes, true), isSecret: true }
  }
  const { status, headers } = responseOfRefusal(codes)
  const fault = codeFault(call.reader, codes)
  return { ...(await pageOf(call, { sealed, fault })), status, headers }
}

export const renewCodes: PageHandler = async (call) => {
  const codes = await withCode(call, renewRecoveryCodes)
  if (codes instanceof Refusal) return refused(call, 'codes', codes)
  return { page: recoveryCodesPage(call, codes, false), isSecret: true }
}

export const switchOffTotp: PageHandler = async (call) => {
  const done = await withCode(call, disableTotp)
  if (done instanceof Refusal) return refused(call, 'off', done)
  await notify(call, { userId: userOf(call).userId, notice: 'second-step-off' })
  return { to: '/settings/security?saved=1' }
}

/** Changes the second step for a code of it: a password that was found out must not be enough to take it over. */
function withCode<T>(
  call: PageCall,
  change: (site: ChangingSite, caller: UserCaller) => Promise<T>,
): Promise<T | Refusal> {
  const caller = userOf(call)
  const given = { userId: caller.userId, code: call.form.get('code') ?? '', key: keyOf(call) }
  return orRefusal(
    changeSite(call.app.control, call.site, async (changing) => {
      if (!(await hasTotp(changing, caller.userId))) throw noTotp()
      await takeCode(changing, given)
      return change(changing, caller)
    }),
  )
}

async function refused(call: PageCall, form: 'codes' | 'off', refusal: Refusal): Promise<PageAnswer> {
  if (refusal.kind === 'conflict') throw refusal
  const { status, headers } = responseOfRefusal(refusal)
  const fault = codeFault(call.reader, refusal)
  return { ...(await pageOf(call, { fault, form })), status, headers }
}

/** With the secret in it until a code confirms it, so that no cache keeps the page. */
async function pageOf(
  call: PageCall,
  { sealed, fault, form }: { sealed?: string; fault?: string; form?: 'codes' | 'off' } = {},
): Promise<Extract<PageAnswer, { page: string }>> {
  const state = await readTotp(call.site, userOf(call).userId)
  if (state) return { page: totpPage(call, { state, fault, form }), isSecret: true }
  const setUp = totpSetUp({ clock: call.site.clock, id: userOf(call).userId, key: keyOf(call) }, sealed)
  return { page: totpPage(call, { setUp, fault }), isSecret: true }
}

const keyOf = ({ app, site }: PageCall) => siteKey(app, site, 'log-ins')

/** One of `setUp` and `state` is there. */
interface TotpForm {
  setUp?: TotpSetUp
  state?: TotpState
  fault: string | undefined
  /** Of the two forms of a second step that is on: the one that was refused. */
  form?: 'codes' | 'off' | undefined
}

function totpPage(call: PageCall, { setUp, state, fault, form }: TotpForm): string {
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
function recoveryCodesPage(call: PageCall, codes: readonly string[], isNew: boolean): string {
  const { words } = call.reader
  const content = html`${isNew ? banner(html`<p>${words.totpIsOn}</p>`, 'good') : undefined}
<p>${words.recoveryText}</p>
<ul class="recovery-codes mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p class="soft">${words.recoveryOnce}</p>
<p>${linkButton(words.recoveryKept, '/settings/security')}</p>`
  return settingsPage(call, '/settings/security', settingsPart(words.recoveryTitle, content))
}
