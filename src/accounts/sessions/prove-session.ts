import { inTransaction } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import type { ChangingSite } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { hashOfToken } from '../callers.ts'
import { unauthenticated } from '../errors.ts'
import type { CreatedSession } from './sessions.ts'
import { findOwnSession, updateProof, updateToken } from './sessions-table.ts'

/** Records that the user of this session has just given the right password. */
export async function recordProof(site: ChangingSite, caller: UserCaller): Promise<void> {
  const now = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, now)
    await updateProof(db, caller.sessionId ?? '', now)
  })
}

/** Gives the caller's session a new token, so that one that was stolen before ends. */
export function renewSession(site: ChangingSite, caller: UserCaller): Promise<CreatedSession> {
  const token = randomSecret()
  return inTransaction(site.db, async (db) => {
    await checkStillKnown(db, caller, site.clock.now())
    const session = await findOwnSession(db, caller.sessionId ?? '')
    if (!session) throw unauthenticated()
    await updateToken(db, session.id, hashOfToken(token))
    return { session, token }
  })
}
