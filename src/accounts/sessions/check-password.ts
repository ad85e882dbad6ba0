import { inTransaction, type SiteDb } from '../../db/index.ts'
import { latestTime } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import type { Refusal } from '../../lib/refusal.ts'
import { recordEvent, type Site } from '../../site/index.ts'
import { logInSlowed, tooManyCodes, tooManyLogins } from '../errors.ts'
import { isPasswordOf } from '../users/passwords.ts'
import { lockUsers } from '../users/users.ts'
import { findUser } from '../users/users-table.ts'
import {
  countLoginTries,
  deleteLoginTriesAfter,
  deleteLoginTriesOf,
  deleteLoginTriesUntil,
  deleteLoginTry,
  findFirstTry,
  insertLoginTry,
  type LoginTry,
} from './login-tries-table.ts'

/** For what a wrong try is counted, and how many of them in how many seconds refuse all further ones. */
interface Counted {
  address: string
  account: string
  by: 'address' | 'account'
  most: number
  seconds: number
  refusal: (retryAfterSeconds: number) => Refusal
}

const longestSeconds = 3_600

/** Passwords of an unknown client. The limit of the network is also the one of network and account together. */
export const triesFromNetwork = (address: string, account: string): Counted => ({
  address: addressKey(address),
  account,
  by: 'address',
  most: 10,
  seconds: 600,
  refusal: tooManyLogins,
})

/** Passwords of a device, session or key of the user. Only its own tries count, so that no one else can lock it out. */
export const triesOfKnown = (name: `${'device' | 'session' | 'key'} ${string}`): Counted => ({
  address: '',
  account: name,
  by: 'account',
  most: 20,
  seconds: 3_600,
  refusal: tooManyLogins,
})

/** Codes of a second step, from all networks together: six digits are guessed sooner than a password. */
export const triesOfCodes = (userId: string): Counted => ({
  address: '',
  account: `code ${userId}`,
  by: 'account',
  most: 10,
  seconds: 600,
  refusal: tooManyCodes,
})

/**
 * Whether what was given is right. Refuses everything, right or wrong, after too many wrong tries. The try is recorded
 * before it is verified, so concurrent tries are counted; as a row it counts on all servers. `account` is the user's id, or a
 * hash of the name that was given.
 */
export async function countTry(
  site: Site,
  account: string,
  counted: Counted,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  const { by, most, seconds, refusal } = counted
  const at = site.clock.now()
  const attempt = { id: randomId(), address: counted.address, account: counted.account, at }
  // Returned and not thrown: a network that has to wait is recorded.
  const refused = await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteLoginTriesUntil(db, before(at, longestSeconds))
    await deleteLoginTriesAfter(db, latestTime(at))
    const since = before(at, seconds)
    if ((await countLoginTries(db, { by, value: attempt[by], since })) >= most) return refusal(seconds)
    const slowed = by === 'address' ? await slowDown(db, attempt) : undefined
    if (!slowed) await insertLoginTry(db, attempt)
    return slowed
  })
  if (refused) throw refused
  if (!(await verify())) {
    await recordFailure(site, account)
    return false
  }
  await deleteLoginTry(site.db, attempt.id)
  return true
}

const before = (at: Date, seconds: number) => new Date(at.getTime() - seconds * 1_000)

const unslowedTries = 20
const longestWaitSeconds = 60

/**
 * After 20 wrong passwords for an account in an hour, every unknown network waits before each try: 2 seconds, doubled with
 * every ten tries, at most 60. An attacker makes the owner of the account wait, and does not keep the owner out. Answers are
 * not held back, because they would hold connections and memory.
 */
async function slowDown(db: SiteDb, { address, account, at }: LoginTry): Promise<Refusal | undefined> {
  const since = before(at, longestSeconds)
  const tries = await countLoginTries(db, { by: 'account', value: account, since })
  if (tries < unslowedTries) return undefined
  const waitSeconds = Math.min(longestWaitSeconds, 2 ** Math.floor((tries - unslowedTries + 10) / 10))
  const turn = `turn of ${address} for ${account}`
  const askedAt = await findFirstTry(db, turn)
  if (!askedAt) {
    await insertLoginTry(db, { id: randomId(), address: '', account: turn, at })
    return logInSlowed(waitSeconds)
  }
  const leftSeconds = Math.ceil((askedAt.getTime() - at.getTime()) / 1_000) + waitSeconds
  if (leftSeconds > 0) return logInSlowed(Math.min(leftSeconds, longestWaitSeconds))
  await deleteLoginTriesOf(db, turn)
  return undefined
}

interface PasswordCheck {
  account: string
  counted: Counted
  password: string
  /** Undefined if there is no such user, empty if it has no password. */
  passwordHash: string | undefined
}

/** Whether the password is right; wrong ones are counted. */
export const checkPassword = (
  site: Site,
  { account, counted, password, passwordHash }: PasswordCheck,
): Promise<boolean> => countTry(site, account, counted, () => isPasswordOf(passwordHash, password))

/** Records a wrong password or code in the audit log. The name that was given is not recorded: it may be a password. */
async function recordFailure(site: Site, account: string): Promise<void> {
  const user = await findUser(site.db, account)
  await recordEvent(site, { verb: 'session.failed', target: user?.id ?? '' })
}
