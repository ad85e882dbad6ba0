import { halfLogInSeconds } from '../../accounts/index.ts'
import {
  endOperatorSession,
  finishOperatorLogIn,
  logInOperator,
  logInWithPasskey,
  openHalfOperatorLogIn,
  operatorPasskeyRequest,
} from '../../control/index.ts'
import { routeNotFound } from '../../http/responses/errors.ts'
import {
  consoleCookie,
  endedConsoleCookie,
  endedStepCookie,
  isHttps,
  openStepCookie,
  stepCookie,
} from '../../http/session/session-cookie.ts'
import { type Html, html } from '../../lib/html.ts'
import { isLocalName } from '../../lib/net/hosts.ts'
import { Refusal } from '../../lib/refusal.ts'
import { readInstallation } from '../../tenants/index.ts'
import { codeForm } from '../../ui/code-form.ts'
import { submitButton, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { hasPasskeys, passkeyForm } from '../../ui/passkey-form.ts'
import { type FormFaults, noFaults, textsBesides } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { type ConsoleAnswer, type ConsoleCall, type ConsoleHandler, consolePath } from '../console-call.ts'
import { answerOfRefusal, questionPage } from '../frame.ts'
import { consoleTarget, operatorRequestOf, signInFaults } from '../operator-request.ts'

export const showLogIn: ConsoleHandler = async (call) => {
  const to = consoleTarget(call.query.get('to') ?? '')
  return call.caller ? { to } : { page: logInPage(call, { to }) }
}

export const logIn: ConsoleHandler = async (call) => {
  const { app, control, request, form } = call
  const to = consoleTarget(form.get('to') ?? '')
  const username = form.get('login')?.trim() ?? ''
  const given = { username, password: form.get('password') ?? '', to }
  const value = await orRefusal(logInOperator(control, operatorRequestOf(call), given))
  if (value instanceof Refusal)
    return answerOfRefusal(value, logInPage(call, { to, username, faults: faultsOf(call, value) }))
  readAhead(call)
  const cookie = stepCookie(app, request, { name: 'terrace-console-login', value, seconds: halfLogInSeconds })
  return { to: consolePath('login/code'), headers: { 'set-cookie': cookie } }
}

/** Ten thousand tenants take most of a second: they are read while the code is typed. An error comes again with the overview. */
const readAhead = ({ control }: ConsoleCall): void =>
  void readInstallation(control, { dayCount: 1 }).catch(() => undefined)

/** One text for all that is wrong. */
const faultsOf = ({ reader }: ConsoleCall, refusal: Refusal): FormFaults =>
  refusal.code === 'log-in-refused'
    ? new Map([['password', reader.words.consoleLogInWrong]])
    : signInFaults(reader, refusal)

export const showCode: ConsoleHandler = async (call) =>
  (await halfLogInOf(call)) instanceof Refusal ? beginAgain(call) : { page: codePage(call) }

export const sendCode: ConsoleHandler = async (call) => {
  const { app, control, request, form } = call
  const sealed = await halfLogInOf(call)
  if (sealed instanceof Refusal) return beginAgain(call)
  const given = { sealed, code: form.get('code') ?? '' }
  const opened = await orRefusal(finishOperatorLogIn(control, operatorRequestOf(call), given))
  if (opened instanceof Refusal) {
    const fault =
      opened.code === 'log-in-refused'
        ? call.reader.words.consoleCodeWrong
        : [...signInFaults(call.reader, opened).values()].join(' ')
    return answerOfRefusal(opened, codePage(call, fault))
  }
  return {
    to: consoleTarget(opened.to),
    headers: {
      'set-cookie': [
        consoleCookie(app, request, opened.token),
        endedStepCookie(app, request, 'terrace-console-login'),
      ],
    },
  }
}

/** The sealed log-in whose password was right; a refusal if it has ended. */
const halfLogInOf = ({ app, request, control, ...call }: ConsoleCall): Promise<string | Refusal> =>
  orRefusal(
    openStepCookie(app, request, {
      name: 'terrace-console-login',
      open: async (sealed) => {
        await openHalfOperatorLogIn(control, operatorRequestOf({ app, request, control, ...call }), sealed)
        return sealed
      },
    }),
  )

const beginAgain = ({ app, request }: ConsoleCall): ConsoleAnswer => ({
  to: consolePath('login'),
  headers: { 'set-cookie': endedStepCookie(app, request, 'terrace-console-login') },
})

export const postPasskeyRequest: ConsoleHandler = async (call) => {
  if (!hasPasskeys(call)) throw routeNotFound()
  return { json: await operatorPasskeyRequest(call.control, operatorRequestOf(call)) }
}

/** A passkey is both steps, and counts where passwords are throttled. */
export const logInByPasskey: ConsoleHandler = async (call) => {
  const { app, control, request, form } = call
  if (!hasPasskeys(call)) throw routeNotFound()
  const to = consoleTarget(form.get('to') ?? '')
  const answer = { response: form.get('response') ?? '', challenge: form.get('challenge') ?? '' }
  const opened = await orRefusal(logInWithPasskey(control, operatorRequestOf(call), answer))
  if (!(opened instanceof Refusal))
    return { to, headers: { 'set-cookie': consoleCookie(app, request, opened.token) } }
  const faults = new Map([['', call.reader.words.passkeyRefused]])
  return answerOfRefusal(opened, logInPage(call, { to, faults }))
}

/** Ends the session, and has the browser forget the pages that it has kept. */
export const logOut: ConsoleHandler = async (call) => {
  const { app, control, request, caller } = call
  // Refused only if the session has ended in the meantime.
  if (caller) await orRefusal(endOperatorSession(control, caller, caller.sessionId))
  return {
    to: consolePath('login'),
    headers: { 'set-cookie': endedConsoleCookie(app, request), 'clear-site-data': '"cache"' },
  }
}

/** Whether others can read what is sent: plain http to another machine. */
export const isUnencrypted = ({ app, request }: ConsoleCall): boolean =>
  !isHttps(app, request) && !isLocalName(request.client.hostname)

interface LogInForm {
  to: string
  username?: string
  faults?: FormFaults
}

function logInPage(call: ConsoleCall, { to, username = '', faults = noFaults }: LogInForm): string {
  const { reader } = call
  const { words } = reader
  const withPasskey = hasPasskeys(call)
  const content = html`${isUnencrypted(call) ? banner(html`<p>${words.openLine}</p>`, 'warn') : undefined}
${textsBesides(faults, ['password']).map((text) => banner(html`<p>${text}</p>`, 'danger'))}
<form method="post" action="${consolePath('login')}" class="stack">
<input name="to" value="${to}" type="hidden">
${textField({
  label: words.username,
  name: 'login',
  value: username,
  more: {
    autocomplete: withPasskey ? 'username webauthn' : 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    autofocus: username === '',
  },
})}
${textField({
  label: words.password,
  name: 'password',
  fault: faults.get('password'),
  more: {
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    autofocus: username !== '',
  },
})}
<p>${submitButton(words.logIn)}</p>
</form>
${withPasskey ? passkeyPart(call, to) : undefined}`
  return questionPage(reader, { title: words.logIn, content })
}

const passkeyPart = ({ reader }: ConsoleCall, to: string): Html =>
  passkeyForm(reader, {
    action: consolePath('login/passkey'),
    to,
    isConditional: true,
    from: consolePath('-/passkeys'),
  })

function codePage({ reader }: ConsoleCall, fault?: string): string {
  const content = codeForm(reader, { action: consolePath('login/code'), logIn: consolePath('login'), fault })
  return questionPage(reader, { title: reader.words.codeTitle, content })
}
