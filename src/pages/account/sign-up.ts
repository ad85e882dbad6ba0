import {
  checkChosenPassword,
  checkSignUp,
  confirmSignUp,
  countRequest,
  hashPassword,
  listEnabledProviders,
  type Provider,
  readSignUp,
  signUp,
  startSignUp,
} from '../../accounts/index.ts'
import { sendAddressMail } from '../../http/mails/send-mail.ts'
import { responseOfRefusal, routeNotFound } from '../../http/responses/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { isSwitchedOn } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { orRefusal } from '../../ui/refused.ts'
import type { Words } from '../../words/en.ts'
import { writePage } from '../frame.ts'
import type { PageAnswer, PageCall, PageHandler } from '../page-call.ts'
import { type AccountFaults, accountFaultsOf } from './account-faults.ts'
import { providerButtons } from './log-in/connect/provider-buttons.ts'
import { isUnencrypted, openLine, startSession } from './log-in/log-in.ts'
import { formFault } from './settings/settings-frame.ts'

export const showSignUp: PageHandler = async (call) => {
  checkOpen(call)
  if (call.session) return { to: '/' }
  return { page: signUpPage(call, { username: '', email: '', providers: await openProviders(call) }) }
}

/** With mail the account is made when its link is opened, with a password that is chosen then; without, at once. */
export const postSignUp: PageHandler = async (call) => {
  checkOpen(call)
  const { app, site, request, form } = call
  const [username, email] = [form.get('username')?.trim() ?? '', form.get('email')?.trim() ?? '']
  const made = await orRefusal(
    (async () => {
      const password = app.mailer ? undefined : (form.get('password') ?? '')
      await checkSignUp(site, { username, email, ...(password !== undefined && { password }) })
      const counted = { purpose: 'sign-up', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted))
      if (password === undefined)
        return {
          mail: await changeSite(app.control, site, (changing) => startSignUp(changing, { username, email })),
        }
      const passwordHash = await hashPassword(password)
      return changeSite(app.control, site, (changing) => signUp(changing, { username, email, passwordHash }))
    })(),
  )
  if (made instanceof Refusal) {
    const { status, headers } = responseOfRefusal(made)
    const faults = accountFaultsOf(call.reader, made)
    return {
      page: signUpPage(call, { username, email, faults, providers: await openProviders(call) }),
      status,
      headers,
    }
  }
  if ('id' in made) return logInAs(call, made.id)
  sendAddressMail(call, { to: email, mail: made.mail })
  return { page: waitPage(call, email) }
}

/** Mail programs open links by themselves, so the form confirms. */
export const showConfirm: PageHandler = async (call) => {
  const { username } = await readSignUp(call.site, call.params.token ?? '')
  return { page: confirmPage(call, { username }), isSecret: true }
}

/** The password is set by who has the mailbox. A refused one leaves the link good. */
export const confirm: PageHandler = async (call) => {
  const { app, site, params, form } = call
  const { token = '' } = params
  const { username, email } = await readSignUp(site, token)
  const password = form.get('password') ?? ''
  const refusal = await orRefusal(checkChosenPassword(site, password, [username, email]))
  if (refusal instanceof Refusal) {
    const faults = accountFaultsOf(call.reader, refusal)
    return { page: confirmPage(call, { username, faults }), status: 400, isSecret: true }
  }
  const passwordHash = await hashPassword(password)
  const user = await changeSite(app.control, site, (changing) =>
    confirmSignUp(changing, { token, passwordHash }),
  )
  return logInAs(call, user.id)
}

async function logInAs(call: PageCall, userId: string): Promise<PageAnswer> {
  const logIn = { userId, isLasting: false, method: 'password', factor: null } as const
  return { to: '/', headers: { 'set-cookie': await startSession(call, logIn) } }
}

async function openProviders({ site }: PageCall) {
  return (await listEnabledProviders(site)).filter(({ isSignUpOpen }) => isSignUpOpen)
}

function checkOpen({ site }: PageCall): void {
  if (!isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')) throw routeNotFound()
}

interface SignUpForm {
  /** Those that make new users. */
  providers: readonly Pick<Provider, 'name' | 'title'>[]
  username: string
  email: string
  faults?: AccountFaults
}

function pageOf({ site, reader }: PageCall, title: string, content: Html): string {
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question"><h1>${title}</h1>${content}</div>`,
  })
}

function signUpPage(call: PageCall, { username, email, providers, faults = {} }: SignUpForm): string {
  const { reader, app } = call
  const { words } = reader
  const first = faults.username !== undefined || faults.email === undefined ? 'username' : 'email'
  const content = html`${isUnencrypted(call) ? openLine(words) : undefined}
<form method="post" action="/signup" class="stack">
${formFault(faults.form)}
${textField({
  label: words.username,
  name: 'username',
  value: username,
  hint: words.usernameHint,
  fault: faults.username,
  more: {
    autocomplete: 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    minlength: 3,
    maxlength: 32,
    autofocus: first === 'username',
  },
})}
${textField({
  label: words.email,
  name: 'email',
  value: email,
  fault: faults.email,
  ...(app.mailer && { hint: words.emailConfirmHint }),
  more: { type: 'email', autocomplete: 'email', required: true, autofocus: first === 'email' },
})}
${app.mailer ? undefined : passwordField(words, faults)}
<p>${submitButton(words.signUp)}</p>
</form>
${providerButtons(providers, { label: words.signUpWith, to: '/' })}
<p class="soft">${words.haveAccount} <a href="/login">${words.logIn}</a></p>`
  return pageOf(call, words.signUp, content)
}

const passwordField = (words: Words, { password: fault }: AccountFaults, isFirst = false): Html =>
  textField({
    label: words.password,
    name: 'password',
    hint: words.passwordHint,
    fault,
    more: {
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      minlength: 8,
      autofocus: isFirst,
    },
  })

const waitPage = (call: PageCall, email: string): string =>
  pageOf(
    call,
    call.reader.words.mailSent,
    html`<p>${call.reader.words.signUpSent(email)}</p><p class="soft">${call.reader.words.mailMissing}</p>`,
  )

function confirmPage(
  call: PageCall,
  { username, faults = {} }: { username: string; faults?: AccountFaults },
): string {
  const { words } = call.reader
  const content = html`<p dir="auto">${words.confirmText(username)}</p>
<form method="post" class="stack">${tokenField(call.reader)}
<input name="username" value="${username}" type="text" autocomplete="username" readonly hidden>
${passwordField(words, faults, true)}
<p>${submitButton(words.confirmYes)}</p></form>`
  return pageOf(call, words.confirmTitle, content)
}
