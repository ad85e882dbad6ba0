import { tooManyLogins } from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import { latestTime } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { deleteTriesOutside, deleteTry, findEarlierTry, insertTry, type Try } from './tries-table.ts'

/** How many wrong tries in how many seconds refuse all further ones. */
const limits = [
  { by: 'address', most: 10, seconds: 600 },
  { by: 'account', most: 20, seconds: 3_600 },
] as const

const longestMs = 3_600_000

/** For what a wrong try is counted. */
export interface Counted extends Pick<Try, 'address' | 'account'> {
  /** The operator that is named in the audit log; empty if there is none of that name. */
  target: string
}

/** Passwords and codes of a log-in: for the client's network, and for the account. */
export const triesFrom = (address: string, account: string, target: string): Counted => ({
  address: addressKey(address),
  account,
  target,
})

/** Passwords of a session. Only its own tries count, so that no one else can lock it out. */
export const triesOfSession = (sessionId: string, target: string): Counted => ({
  address: '',
  account: `session ${sessionId}`,
  target,
})

/**
 * Whether what was given is right. Refuses everything, right or wrong, after too many wrong tries. The try is recorded first
 * and counted then, so concurrent tries see each other without a lock; as a row it counts on all servers. A wrong one is in the
 * audit log too, without the name that was given: it may be a password.
 */
export async function countTry(
  control: Control,
  { target, ...counted }: Counted,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  const db = control.store.control
  const at = control.clock.now()
  const attempt: Try = { id: randomId(), ...counted, at }
  await deleteTriesOutside(db, { until: new Date(at.getTime() - longestMs), after: latestTime(at) })
  await insertTry(db, attempt)
  const waitSeconds = await waitOf(control, attempt)
  if (waitSeconds > 0) {
    await deleteTry(db, attempt.id)
    throw tooManyLogins(waitSeconds)
  }
  const isRight = await verify()
  if (isRight) await deleteTry(db, attempt.id)
  else await inTransaction(db, (db) => recordControlChange(control, db, { verb: 'session.failed', target }))
  return isRight
}

/** Seconds until another try counts; 0 if this one does. */
async function waitOf({ store }: Control, attempt: Try): Promise<number> {
  const waits = await Promise.all(
    limits.map(async ({ by, most, seconds }) => {
      if (attempt[by] === '') return 0
      const since = new Date(attempt.at.getTime() - seconds * 1_000)
      const last = await findEarlierTry(store.control, attempt, { by, since, count: most })
      return last ? Math.ceil((last.getTime() - since.getTime()) / 1_000) : 0
    }),
  )
  return Math.max(...waits)
}
