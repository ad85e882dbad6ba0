import {
  connectAccount,
  countRequest,
  freeName,
  nextStepOf,
  openAccount,
  type Provider,
  type ProviderAccount,
  requireEnabled,
  signUpByProvider,
} from '../../../../accounts/index.ts'
import { notify, sendAddressMail } from '../../../../http/mails/send-mail.ts'
import { responseOfRefusal, routeNotFound } from '../../../../http/responses/errors.ts'
import { endedStepCookie, openStepCookie } from '../../../../http/session/session-cookie.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { tokenField } from '../../../../ui/form.ts'
import { linkButton, submitButton, textField } from '../../../../ui/parts/controls.ts'
import { mark } from '../../../../ui/parts/icon.ts'
import { orRefusal } from '../../../../ui/refused.ts'
import type { Words } from '../../../../words/en.ts'
import { writePage } from '../../../frame.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../../page-call.ts'
import { type AccountFaults, accountFaultsOf } from '../../account-faults.ts'
import { formFault } from '../../settings/settings-frame.ts'
import { startSession } from '../log-in.ts'
import { providerAccess, providerNameIn } from './provider-access.ts'

/** What becomes of an account that is not connected: nothing happens to it before a form is sent. */
export const showAccount: PageHandler = (call) => orConnectFault(call, choice(call))

async function choice(call: PageCall): Promise<PageAnswer> {
  const pending = await pendingOf(call)
  if (call.session) return { page: confirmPage(call, pending) }
  const step = await nextStepOf(call.site, pending.account)
  if (step !== 'sign-up') return { page: logInFirstPage(call, { ...pending, step }) }
  return { page: newUserPage(call, { ...pending, username: await freeName(call.site, pending.account) }) }
}

export const postLink: PageHandler = (call) => orConnectFault(call, link(call))

async function link(call: PageCall): Promise<PageAnswer> {
  const { app, site } = call
  const { account } = await pendingOf(call)
  await changeSite(app.control, site, (changing) => connectAccount(changing, userOf(call), account))
  await notify(call, { userId: userOf(call).userId, notice: 'provider-connected' })
  return { to: account.to, headers: { 'set-cookie': endedAccount(call) } }
}

export const postSignUpByProvider: PageHandler = (call) => orConnectFault(call, signUp(call))

async function signUp(call: PageCall): Promise<PageAnswer> {
  const { app, site, request, form } = call
  const pending = await pendingOf(call)
  const { account } = pending
  const username = form.get('username')?.trim() ?? ''
  const made = await orRefusal(
    (async () => {
      const counted = { purpose: 'sign-up', address: request.client.address } as const
      await changeSite(app.control, site, (changing) => countRequest(changing, counted))
      const asked = { account, username, hasMail: app.mailer !== undefined }
      return changeSite(app.control, site, (changing) => signUpByProvider(changing, asked))
    })(),
  )
  if (made instanceof Refusal) {
    // Such as an account that was connected meanwhile: the form cannot mend it.
    if (made.code === 'identity-taken' || made.kind === 'not-found') throw made
    const { status, headers } = responseOfRefusal(made)
    const faults = accountFaultsOf(call.reader, made)
    return { page: newUserPage(call, { ...pending, username, faults }), status, headers }
  }
  sendAddressMail(call, { to: account.email ?? '', mail: made.mail, username })
  const cookies = await startSession(call, {
    userId: made.userId,
    isLasting: false,
    loggedInAt: account.loggedInAt,
    method: 'provider',
    factor: null,
  })
  return { to: account.to, headers: { 'set-cookie': [...cookies, endedAccount(call)] } }
}

async function pendingOf(call: PageCall) {
  const { app, site, request } = call
  const name = providerNameIn(call)
  const provider = await requireEnabled(site, name)
  const { key } = providerAccess(call)
  const account = await openStepCookie(app, request, {
    name: 'terrace-account',
    open: (sealed) => openAccount(site, { key, provider: name, sealed }),
  })
  return { provider, account }
}

const endedAccount = ({ app, request }: PageCall) => endedStepCookie(app, request, 'terrace-account')

function connectFrame({ site, reader }: PageCall, title: string, content: Html, above?: Html): string {
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">${above}<h1 dir="auto">${title}</h1>${content}</div>`,
  })
}

interface Pending {
  provider: Pick<Provider, 'name' | 'title'>
  account: ProviderAccount
}

const accountLine = ({ label }: ProviderAccount): Html =>
  html`<p><strong dir="auto" class="breaks">${label}</strong></p>`

/** For a user who is logged in. */
function confirmPage(call: PageCall, { provider, account }: Pending): string {
  const { words } = call.reader
  const [title, username] = [provider.title, call.session?.username ?? '']
  return connectFrame(
    call,
    words.connectTitle(title),
    html`${accountLine(account)}
<p dir="auto">${words.connectConfirm({ title, username })}</p>
<form method="post" action="/connect/${provider.name}/link" class="stack">${tokenField(call.reader)}
<p class="actions">${submitButton(words.connectYes)}${linkButton(words.cancel, '/settings/security', { look: 'plain' })}</p>
</form>`,
  )
}

/** For a guest whose account is not connected, and who makes no new user by it. */
function logInFirstPage(
  call: PageCall,
  { provider, account, step }: Pending & { step: 'unverified' | 'none' },
): string {
  const { words } = call.reader
  return connectFrame(
    call,
    words.connectTitle(provider.title),
    html`${accountLine(account)}
<p dir="auto">${words.connectNone(provider.title)}</p><p>${words.connectNoneText}</p>
<p>${linkButton(words.connectLogIn, logInAndBack(provider))}</p>
${step === 'unverified' ? html`<p class="soft" dir="auto">${words.connectUnverified(provider.title)}</p>` : undefined}`,
  )
}

/** The account is connected after a log-in by password or passkey, and the second step. */
const logInAndBack = ({ name }: Pick<Provider, 'name'>) =>
  `/login?to=${encodeURIComponent(`/connect/${name}/account`)}`

function newUserPage(
  call: PageCall,
  { provider, account, username, faults = {} }: Pending & { username: string; faults?: AccountFaults },
): string {
  const { words } = call.reader
  return connectFrame(
    call,
    words.connectNew(provider.title),
    html`${accountLine(account)}
<p>${words.connectNewText}</p>
<form method="post" action="/connect/${provider.name}/signup" class="stack">
${formFault(faults.form ?? faults.email)}
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
    autofocus: true,
  },
})}
<p>${submitButton(words.signUp)}</p>
</form>
<p class="soft">${words.connectHaveOne} <a href="${logInAndBack(provider)}">${words.connectLogIn}</a></p>`,
  )
}

const texts: Readonly<Record<string, (words: Words) => string>> = {
  'connect-ended': (words) => words.connectEnded,
  'provider-unavailable': (words) => words.connectUnavailable,
  'provider-mistaken': (words) => words.connectMistaken,
  'provider-refused': (words) => words.connectRefused,
  'identity-taken': (words) => words.connectTaken,
  'log-in-too-old': (words) => words.connectTooOld,
  'too-many-connects': (words) => words.connectTooMany,
  'already-connected': (words) => words.connectOther,
  unauthenticated: (words) => words.connectNoEntry,
}

/** The answer, or a page that says why there is none and how to go on. */
export async function orConnectFault(call: PageCall, work: Promise<PageAnswer>): Promise<PageAnswer> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'provider-not-found') throw routeNotFound()
    const text = texts[error.code]?.(call.reader.words)
    if (text === undefined) throw error
    logCause(call, error)
    const { status, headers } = responseOfRefusal(error)
    const cookie = endedStepCookie(call.app, call.request, 'terrace-connect')
    return { page: faultPage(call, text), status, headers: { ...headers, 'set-cookie': cookie } }
  }
}

/** The page tells none of it: it may be about the operator's network. */
export function logCause(call: PageCall, { code, cause }: Refusal): void {
  if (cause === undefined) return
  const chain: string[] = []
  for (
    let at: unknown = cause;
    at !== undefined && chain.length < 5;
    at = at instanceof Error ? at.cause : undefined
  )
    chain.push(at instanceof Error ? at.message : typeof at === 'string' ? at : typeof at)
  const { provider } = call.params
  call.app.log.warn({ site: call.site.number, provider, code, chain }, 'A login provider failed')
}

function faultPage(call: PageCall, text: string): string {
  const { words } = call.reader
  const another = call.session ? '/settings/security' : '/login'
  return connectFrame(
    call,
    call.session ? words.connectFailedHere : words.connectFailed,
    html`<p>${text}</p>
<p class="actions">${linkButton(words.tryAgain, `/connect/${providerNameIn(call)}`)}${linkButton(words.connectAnother, another, { look: 'plain' })}</p>`,
    mark('steps'),
  )
}
