import {
  checkChosenPassword,
  checkOwnPassword,
  editOwnAccount,
  endOtherSessions,
  endOwnSession,
  hashNewPassword,
  hasTotp,
  listConnections,
  listOwnPasskeys,
  listOwnSessions,
  readOwnAccount,
  recordProof,
  renewSession,
  sessionNotFound,
} from '../../../accounts/index.ts'
import { notify } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { sessionCookie } from '../../../http/session/session-cookie.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { type AccountFaults, accountFaultsOf } from '../account-faults.ts'
import { passkeyFault } from '../security/code-fault.ts'
import { securityPage } from './security-page.ts'

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
export const refusedConnection = (call: PageCall): Promise<string> =>
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
