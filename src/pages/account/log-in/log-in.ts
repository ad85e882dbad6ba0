import {
  checkLogIn,
  createSession,
  endOwnSession,
  type HalfLogIn,
  halfLogInSeconds,
  hasTotp,
  type LogInSteps,
  listEnabledProviders,
  type Provider,
  sealHalfLogIn,
} from '../../../accounts/index.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import {
  devicesOf,
  endedCookie,
  isHttps,
  logInCookies,
  stepCookie,
} from '../../../http/session/session-cookie.ts'
import { siteKey } from '../../../http/site-key.ts'
import { type Html, html } from '../../../lib/html.ts'
import { isLocalName } from '../../../lib/net/hosts.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { ownPath } from '../../../ui/own-path.ts'
import { checkField, submitButton, textField } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import { hasPasskeys, passkeyForm } from '../../../ui/passkey-form.ts'
import type { Reader } from '../../../ui/reader.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import type { Words } from '../../../words/en.ts'
import { writePage } from '../../frame.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { providerButtons } from './connect/provider-buttons.ts'

export const showLogIn: PageHandler = async (call) => {
  const to = ownPath(call.query.get('to') ?? '')
  if (call.session) return { to }
  const { words } = call.reader
  const isConfirmed = call.query.get('confirmed') === '1'
  const done = call.query.get('reset') === '1' ? { done: words.resetDone } : {}
  const confirmed = isConfirmed ? { done: words.addressDone } : {}
  const ended = call.query.get('ended') === '1' ? { notice: words.logInEnded } : {}
  return { page: logInPage({ ...(await formOf(call)), ...done, ...confirmed, ...ended, to }) }
}

/** Every log-in opens a session of its own: a token that the browser had before opens nothing more. */
export const logIn: PageHandler = async (call) => {
  const { app, site, request, form } = call
  const to = ownPath(form.get('to') ?? '')
  const [login, password] = [form.get('login')?.trim() ?? '', form.get('password') ?? '']
  const isLasting = form.get('stay') === '1'
  const devices = devicesOf(app, site, request)
  const userId = await orRefusal(
    checkLogIn(site, { login, password, address: request.client.address, devices }),
  )
  if (userId instanceof Refusal) return refuse(call, { login, isLasting, to, refusal: userId })
  return finishLogIn(call, { userId, isLasting, to, method: 'password' })
}

/** After the first step: the session, or the way to the second one, which needs no session and gives none yet. */
export async function finishLogIn(call: PageCall, logIn: HalfLogIn): Promise<PageAnswer> {
  const { app, site, request } = call
  if (!(await hasTotp(site, logIn.userId)))
    return { to: logIn.to, headers: { 'set-cookie': await startSession(call, { ...logIn, factor: null }) } }
  const value = await sealHalfLogIn(site, siteKey(app, site, 'log-ins'), logIn)
  const cookie = stepCookie(app, request, { name: 'terrace-login', value, seconds: halfLogInSeconds })
  return { to: '/login/code', headers: { 'set-cookie': cookie } }
}

/** The cookies of a new session. The one that the browser had before ends. */
export async function startSession(
  { app, site, request, session }: PageCall,
  { userId, isLasting, loggedInAt, method, factor }: Omit<HalfLogIn, 'to' | 'method'> & LogInSteps,
): Promise<string[]> {
  const userAgent = request.headers['user-agent'] ?? ''
  const { address } = request.client
  const provenAt = loggedInAt === undefined ? undefined : new Date(loggedInAt)
  // The log-in is its own right: it outlives the session that it ends.
  const created = await changeSite(app.control, { ...site, checkAuthor: undefined }, async (changing) => {
    const { sessionId } = session?.caller ?? {}
    if (session && sessionId !== undefined) await endOwnSession(changing, session.caller, sessionId)
    const steps = { method, factor }
    return createSession(changing, { userId, address, userAgent, isLasting, provenAt, steps })
  })
  return logInCookies(app, site, request, created)
}

type Attempt = Pick<LogInForm, 'login' | 'isLasting' | 'to'> & { refusal: Refusal }

async function refuse(call: PageCall, attempt: Attempt): Promise<PageAnswer> {
  const { status, headers } = responseOfRefusal(attempt.refusal)
  return { page: logInPage({ ...(await formOf(call)), ...attempt }), status, headers }
}

/** The form again, for another try by passkey or password. */
export async function refusePasskey(
  call: PageCall,
  { refusal, ...attempt }: Omit<Attempt, 'login'>,
): Promise<PageAnswer> {
  const { status, headers } = responseOfRefusal(refusal)
  const notice = call.reader.words.passkeyRefused
  return { page: logInPage({ ...(await formOf(call)), ...attempt, notice }), status, headers }
}

const formOf = async (call: PageCall) => ({
  siteName: call.site.hostname,
  reader: call.reader,
  providers: await listEnabledProviders(call.site),
  login: '',
  isLasting: false,
  isUnencrypted: isUnencrypted(call),
  hasPasskeys: hasPasskeys(call),
})

/** Whether others can read what is sent: plain http to another machine. */
export const isUnencrypted = ({ app, request }: PageCall): boolean =>
  !isHttps(app, request) && !isLocalName(request.client.hostname)

/** Ends the session, and has the browser forget the pages that it has kept. A guest is led to the front page too. */
export const logOut: PageHandler = async (call) => {
  const { app, site, request, session } = call
  const { sessionId } = session?.caller ?? {}
  // Refused only if the session has ended in the meantime.
  if (session && sessionId !== undefined)
    await orRefusal(
      changeSite(app.control, site, (changing) => endOwnSession(changing, session.caller, sessionId)),
    )
  // Browsers heed it on encrypted lines alone; elsewhere it is an error in their console.
  const forget = isUnencrypted(call) ? undefined : { 'clear-site-data': '"cache"' }
  return { to: '/', headers: { 'set-cookie': endedCookie(app, request), ...forget } }
}

interface LogInForm {
  siteName: string
  reader: Reader
  login: string
  isLasting: boolean
  /** Where the log-in leads. */
  to: string
  /** Of the last attempt. */
  refusal?: Refusal
  /** Whether a passkey can be used instead: never on an open line. */
  hasPasskeys?: boolean
  /** Where a person logs in by an account elsewhere. */
  providers: readonly Pick<Provider, 'name' | 'title'>[]
  /** Others can read what is sent: plain http to another machine. */
  isUnencrypted: boolean
  /** What has just happened, such as a new password. */
  done?: string
  /** Why the person is here again. */
  notice?: string
}

function logInPage(form: LogInForm): string {
  const { siteName, reader } = form
  const { words } = reader
  return writePage({
    siteName,
    title: `${form.refusal ? words.logInRefused : words.logIn} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    body: html`<div class="question">
<h1>${words.logIn}</h1>
${form.done === undefined ? undefined : banner(html`<p>${form.done}</p>`, 'good')}
${form.notice === undefined ? undefined : banner(html`<p>${form.notice}</p>`, 'warn')}
${form.isUnencrypted ? openLine(words) : undefined}
${logInForm(form)}
${form.hasPasskeys ? passkeyForm(form.reader, { action: '/login/passkey', to: form.to, isConditional: true }) : undefined}
${logInButtons(form)}
${formLinks(reader)}
</div>`,
  })
}

export const openLine = (words: Words): Html => banner(html`<p>${words.openLine}</p>`, 'warn')

export const logInButtons = ({ reader: { words }, providers, to }: LogInForm): Html | undefined =>
  providerButtons(providers, { label: words.logInWith, to })

/** Also shown on the front page of a site that takes no uploads of guests. */
export function logInForm({ reader, login, isLasting, to, refusal, hasPasskeys }: LogInForm): Html {
  const { words } = reader
  const isTaken = login !== ''
  return html`<form method="post" action="/login" class="stack">
<input name="to" value="${to}" type="hidden">
${textField({
  label: words.loginLabel,
  name: 'login',
  value: login,
  more: {
    autocomplete: hasPasskeys ? 'username webauthn' : 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    autofocus: !isTaken,
  },
})}
${textField({
  label: words.password,
  name: 'password',
  fault: refusal && faultOf(reader, refusal),
  more: { type: 'password', autocomplete: 'current-password', required: true, autofocus: isTaken },
})}
${checkField({ label: words.stayLoggedIn, name: 'stay', isOn: isLasting })}
<p>${submitButton(words.logIn)}</p>
</form>`
}

function faultOf(reader: Reader, refusal: Refusal): string {
  const { words } = reader
  const { code, retryAfterSeconds = 0 } = refusal
  if (code === 'too-many-logins') return words.logInTooMany(String(Math.ceil(retryAfterSeconds / 60)))
  if (code === 'log-in-slowed') return words.logInSlowed(String(retryAfterSeconds))
  return code === 'unauthenticated' ? words.logInWrong : refusalText(reader, refusal)
}

function formLinks({ words, account }: Reader): Html {
  const signUp = account?.isSignUpOpen ? html`<a href="/signup">${words.signUp}</a>` : undefined
  return html`<p class="form-links"><a href="/password">${words.forgotten}</a>${signUp}</p>`
}
