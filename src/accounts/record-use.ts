import { latestTime } from '../lib/clock.ts'
import type { ChangingSite } from '../site/index.ts'
import type { Actor } from './actor.ts'
import { updateKeyUse } from './keys/user-keys-table.ts'
import { endOfSession } from './sessions/session-times.ts'
import { findOwnSession, updateSessionUse } from './sessions/sessions-table.ts'

const minuteMs = 60_000

const minuteOf = (at: Date) => new Date(Math.floor(at.getTime() / minuteMs) * minuteMs)

/** Whether the recorded time of last use is of an earlier minute, or of a clock that was set back since. */
export function isUseUnrecorded(actor: Actor, now: Date): boolean {
  if (actor.kind === 'guest') return false
  const { lastUsedAt } = actor
  return lastUsedAt === undefined || lastUsedAt < minuteOf(now) || lastUsedAt > latestTime(now)
}

/** Records when and from where the caller's key or session was used, to the minute. */
export async function recordUse(site: ChangingSite, actor: Actor, address: string): Promise<void> {
  if (actor.kind === 'guest') return
  const now = site.clock.now()
  const use = { at: minuteOf(now), latest: latestTime(now), address }
  if (actor.keyId !== undefined) await updateKeyUse(site.db, actor.keyId, use)
  const session = actor.sessionId === undefined ? undefined : await findOwnSession(site.db, actor.sessionId)
  if (session)
    await updateSessionUse(site.db, session.id, { ...use, expiresAt: endOfSession(session, use.at) })
}

/** As part of a transaction that is written anyway. */
export async function recordUseIfDue(site: ChangingSite, actor: Actor, address: string): Promise<void> {
  if (isUseUnrecorded(actor, site.clock.now())) await recordUse(site, actor, address)
}
