import {
  checkChosenPassword,
  countRequest,
  createResetLink,
  hashPassword,
  readResetLink,
  resetByLink,
} from '../../accounts/index.ts'
import { notify, sendResetMail } from '../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../http/responses/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { changeSite } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { orRefusal } from '../../ui/refused.ts'
import { writePage } from '../frame.ts'
import type { PageCall, PageHandler } from '../page-call.ts'
import { type AccountFaults, accountFaultsOf, checkedEmail } from './account-faults.ts'
import { formFault } from './settings/settings-frame.ts'

export const showReset: PageHandler = async (call) => ({ page: askPage(call, { email: '' }) })

/** One answer for all addresses, so that it tells no one who has an account. */
export const askReset: PageHandler = async (call) => {
  const { app, site, request, form } = call
  const email = form.get('email')?.trim() ?? ''
  if (!app.mailer) return { page: askPage(call, { email }), status: 503 }
  const refusal = await orRefusal(
    (async () => {
      checkedEmail(email)
      const counted = { purpose: 'reset', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted))
    })(),
  )
  if (refusal instanceof Refusal) {
    const { status, headers } = responseOfRefusal(refusal)
    const faults = accountFaultsOf(call.reader, refusal)
    return { page: askPage(call, { email, faults }), status, headers }
  }
  const asked = { email, kind: 'reset' } as const
  const made = await changeSite(app.control, site, (changing) => createResetLink(changing, asked))
  if (made) sendResetMail(call, made)
  return { page: askedPage(call, email) }
}

export const showNewPassword: PageHandler = async (call) => {
  const user = await readResetLink(call.site, tokenOf(call))
  return { page: newPasswordPage(call, { username: user.username }), isSecret: true }
}

export const setNewPassword: PageHandler = async (call) => {
  const { app, site, form } = call
  const token = tokenOf(call)
  const user = await readResetLink(site, token)
  const password = form.get('password') ?? ''
  const refusal = await orRefusal(checkChosenPassword(site, password, [user.username, user.email]))
  if (refusal instanceof Refusal) {
    const faults = accountFaultsOf(call.reader, refusal)
    return { page: newPasswordPage(call, { username: user.username, faults }), status: 400, isSecret: true }
  }
  const passwordHash = await hashPassword(password)
  await changeSite(app.control, site, (changing) => resetByLink(changing, { token, passwordHash }))
  await notify(call, { userId: user.id, notice: 'password-changed' })
  return { to: '/login?reset=1' }
}

const tokenOf = ({ params }: PageCall): string => params.token ?? ''

function questionPage({ site, reader }: PageCall, title: string, content: Html): string {
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question"><h1>${title}</h1>${content}</div>`,
  })
}

/** Without a mail server the page says whom to ask. */
function askPage(call: PageCall, { email, faults = {} }: { email: string; faults?: AccountFaults }): string {
  const { reader, app } = call
  const { words } = reader
  if (!app.mailer)
    return questionPage(
      call,
      words.resetTitle,
      html`${banner(html`<p>${words.noMail}</p>`, 'warn')}<p>${linkButton(words.logIn, '/login', { look: 'plain' })}</p>`,
    )
  return questionPage(
    call,
    words.resetTitle,
    html`<p>${words.resetText}</p>
<form method="post" action="/password" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  label: words.email,
  name: 'email',
  value: email,
  fault: faults.email,
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: true },
})}
<p>${submitButton(words.resetSend)}</p>
</form>`,
  )
}

const askedPage = (call: PageCall, email: string): string =>
  questionPage(
    call,
    call.reader.words.mailSent,
    html`<p>${call.reader.words.resetSent(email)}</p><p class="soft">${call.reader.words.mailMissing}</p>`,
  )

function newPasswordPage(
  call: PageCall,
  { username, faults = {} }: { username: string; faults?: AccountFaults },
): string {
  const { reader } = call
  const { words } = reader
  return questionPage(
    call,
    words.newPasswordTitle,
    html`<p>${words.newPasswordText(username)}</p>
<form method="post" class="stack">
${tokenField(reader)}
<input name="username" value="${username}" type="text" autocomplete="username" readonly hidden>
${textField({
  label: words.newPassword,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.password,
  more: {
    type: 'password',
    autocomplete: 'new-password',
    required: true,
    minlength: 8,
    autofocus: true,
  },
})}
<p>${submitButton(words.newPasswordSave)}</p>
</form>`,
  )
}
