import { endOwnSession } from '../../../accounts/index.ts'
import { endedCookie } from '../../../http/session/session-cookie.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { PageHandler } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'
import { isUnencrypted } from './log-in.ts'

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
