import {
  type Connection,
  checkChosenPassword,
  checkOwnPassword,
  disconnectAccount,
  editOwnAccount,
  endOtherSessions,
  endOwnSession,
  hashNewPassword,
  hasTotp,
  listConnections,
  listOwnPasskeys,
  listOwnSessions,
  noSuchIdentity,
  type Passkey,
  readOwnAccount,
  recordProof,
  renewSession,
  type Session,
  sessionNotFound,
} from '../../../accounts/index.ts'
import { notify } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { sessionCookie } from '../../../http/session/session-cookie.ts'
import { type Html, html } from '../../../lib/html.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { browserName } from '../../../ui/browser-name.ts'
import { tokenField } from '../../../ui/form.ts'
import { linkButton, submitButton, textField } from '../../../ui/parts/controls.ts'
import { chip, table } from '../../../ui/parts/lists.ts'
import { orRefusal } from '../../../ui/refused.ts'
import type { Words } from '../../../words/en.ts'
import { writeAgo } from '../../../words/format.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { type AccountFaults, accountFaultsOf, passkeyFault } from '../account-faults.ts'
import { connectionPart } from '../log-in/connect/connection-list.ts'
import { hiddenName } from '../proof.ts'
import { passkeyPart } from '../security/passkey-list.ts'
import { formFault, settingsPage, settingsPart } from './settings-frame.ts'

/** More than a person has; the oldest ones beyond are ended together by "all others". */
const mostSessions = 100

export const showSecurity: PageHandler = async (call) => ({ page: await pageOf(call) })

/** Then the proof is given by other means; else the form brings the password of today. */
export const hasNoPassword = ({ session }: PageCall): boolean => !session?.hasPassword

/** Ends the other sessions, and gives this one a new token: a copy of the old one opens nothing. */
export const changePassword: PageHandler = async (call) => {
  const { app, site, request, form } = call
  const caller = userOf(call)
  const [current, password] = [form.get('current') ?? '', form.get('password') ?? '']
  const changed = await orRefusal(
    (async () => {
      const { user } = await readOwnAccount(site, caller)
      await checkChosenPassword(site, password, [user.username, user.email])
      if (!hasNoPassword(call)) await checkOwnPassword(site, caller, current)
      const passwordHash = await hashNewPassword(password)
      return changeSite(app.control, site, async (changing) => {
        await editOwnAccount(changing, caller, { email: undefined, hasMail: false, passwordHash })
        await recordProof(changing, caller)
        return renewSession(changing, caller)
      })
    })(),
  )
  if (changed instanceof Refusal) {
    const { status, headers } = responseOfRefusal(changed)
    return {
      page: await pageOf(call, { faults: accountFaultsOf(call.reader, changed) }),
      status,
      headers,
    }
  }
  await notify(call, { userId: caller.userId, notice: 'password-changed' })
  const cookie = sessionCookie(app, request, changed)
  return { to: '/settings/security?saved=1', headers: { 'set-cookie': cookie } }
}

export const endSession: PageHandler = async (call) => {
  const { app, site, params, session } = call
  const { id = '' } = params
  if (!isId(id)) throw sessionNotFound(id.slice(0, 64))
  // One that has ended in the meantime is what was asked for.
  const ended = await orRefusal(
    changeSite(app.control, site, (changing) => endOwnSession(changing, userOf(call), id)),
  )
  if (ended instanceof Refusal && ended.code !== 'session-not-found') throw ended
  return { to: session?.caller.sessionId === id ? '/login' : '/settings/security?saved=1' }
}

export const endOthers: PageHandler = async (call) => {
  await changeSite(call.app.control, call.site, (changing) => endOtherSessions(changing, userOf(call)))
  return { to: '/settings/security?saved=1' }
}

/** The page with why a new passkey was refused. */
export const refusedPasskey = (call: PageCall, refusal: Refusal): Promise<string> =>
  pageOf(call, { passkeyFault: passkeyFault(call.reader, refusal) })

/** The page with why the last way in stays. */
const refusedConnection = (call: PageCall): Promise<string> =>
  pageOf(call, { connectionFault: call.reader.words.lastWayIn })

interface Refused {
  faults?: AccountFaults
  passkeyFault?: string | undefined
  connectionFault?: string
}

async function pageOf(call: PageCall, refused: Refused = {}): Promise<string> {
  const page = { after: undefined, limit: mostSessions }
  const caller = userOf(call)
  return securityPage(call, {
    sessions: await listOwnSessions(call.site, caller, page),
    hasTotp: await hasTotp(call.site, caller.userId),
    passkeys: await listOwnPasskeys(call.site, caller),
    connections: await listConnections(call.site, caller),
    passkeyFault: refused.passkeyFault,
    connectionFault: refused.connectionFault,
    faults: refused.faults ?? {},
  })
}

export const disconnect: PageHandler = async (call) => {
  const { id = '' } = call.params
  if (!isId(id)) throw noSuchIdentity(id.slice(0, 64))
  const done = await orRefusal(
    changeSite(call.app.control, call.site, (changing) => disconnectAccount(changing, userOf(call), id)),
  )
  if (!(done instanceof Refusal)) {
    await notify(call, { userId: userOf(call).userId, notice: 'provider-disconnected' })
    return { to: '/settings/security?saved=1' }
  }
  if (done.code !== 'last-way-in') throw done
  const { status, headers } = responseOfRefusal(done)
  return { page: await refusedConnection(call), status, headers }
}

interface Security {
  sessions: readonly Session[]
  hasTotp: boolean
  passkeys: readonly Passkey[]
  passkeyFault: string | undefined
  connections: readonly Connection[]
  connectionFault: string | undefined
  faults: AccountFaults
}

function securityPage(call: PageCall, security: Security): string {
  const { sessions, hasTotp, passkeys, passkeyFault: fault, faults } = security
  const { words } = call.reader
  const { connections, connectionFault } = security
  const hasPassword = call.session?.hasPassword
  const content = html`${settingsPart(hasPassword ? words.changePassword : words.setPassword, passwordForm(call, faults))}
${settingsPart(words.secondStep, secondStep(words, hasTotp))}
${settingsPart(words.passkeys, passkeyPart(call, { passkeys, fault }))}
${connections.length > 0 ? settingsPart(words.connections, connectionPart(call, { connections, fault: connectionFault })) : undefined}
${settingsPart(words.sessions, sessionList(call, sessions))}`
  return settingsPage(call, '/settings/security', content)
}

function secondStep(words: Words, isOn: boolean): Html {
  const label = isOn ? words.secondStepChange : words.secondStepSetUp
  return html`<p class="soft">${words.secondStepText}</p>
${isOn ? html`<p>${chip(words.secondStepOn, 'good')}</p>` : undefined}
<p>${linkButton(label, '/settings/security/totp', { look: 'plain' })}</p>`
}

function passwordForm(call: PageCall, faults: AccountFaults): Html {
  const { reader, session } = call
  const { words } = reader
  const current = textField({
    label: words.currentPassword,
    name: 'current',
    fault: faults.current,
    more: { type: 'password', autocomplete: 'current-password', required: true },
  })
  return html`<form method="post" action="/settings/security" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${hiddenName(call)}
${session?.hasPassword ? current : html`<p>${words.setPasswordText}</p>`}
${textField({
  label: words.newPassword,
  name: 'password',
  hint: words.passwordHint,
  fault: faults.password,
  more: { type: 'password', autocomplete: 'new-password', required: true, minlength: 8 },
})}
<p class="soft">${words.changePasswordText}</p>
<p>${submitButton(session?.hasPassword ? words.changePassword : words.setPassword)}</p>
</form>`
}

function sessionList(call: PageCall, sessions: readonly Session[]): Html {
  const { reader, session: own, site } = call
  const { words, language } = reader
  const now = site.clock.now()
  const rows = sessions.map(({ id, userAgent, address, lastUsedAt }) => {
    const isOwn = id === own?.caller.sessionId
    const name = browserName(words, userAgent)
    const end = submitButton(isOwn ? words.logOut : words.endSession, {
      look: 'plain',
      isDense: true,
      more: { 'aria-label': `${isOwn ? words.logOut : words.endSession}: ${name}, ${address}` },
    })
    const form = html`<form method="post" action="/settings/sessions/${id}/end">${tokenField(reader)}${end}</form>`
    return [
      html`<span class="with-chip"><span dir="auto">${name}</span>${isOwn ? chip(words.thisSession, 'good') : undefined}</span>`,
      html`<span class="mono">${address}</span>`,
      html`${writeAgo(language, lastUsedAt, now) ?? words.momentsAgo}`,
      form,
    ]
  })
  const columns = [words.device, words.networkAddress, words.lastUsed, words.action].map((name) => ({ name }))
  const others = html`<form method="post" action="/settings/sessions/end-others">${tokenField(reader)}${submitButton(words.endOthers, { look: 'plain' })}</form>`
  return html`<p class="soft">${words.sessionsText}</p>${table(words.sessions, columns, rows)}
${sessions.length > 1 ? others : undefined}`
}
