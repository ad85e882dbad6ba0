import { inTransaction } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import type { Site } from '../../site/index.ts'
import { tooManyLogins } from '../errors.ts'
import { isPassword } from '../users/passwords.ts'
import { lockUsers } from '../users/users.ts'
import {
  countLoginTries,
  deleteLoginTriesUntil,
  deleteLoginTry,
  insertLoginTry,
} from './login-tries-table.ts'
import { recordFailure } from './record-failure.ts'

const limits = [
  { by: 'address', most: 10, seconds: 600 },
  { by: 'account', most: 20, seconds: 3_600 },
] as const

const longestSeconds = 3_600

interface Tried {
  /** What wrong tries are counted for: the user's id, or a hash of the name that was given. */
  account: string
  address: string
}

/**
 * Whether what was given is right. Refuses everything, right or wrong, after too many wrong tries from the network or for
 * the account. The try is recorded before it is verified, so concurrent tries are counted; as a row it counts on all
 * servers.
 */
export async function countTry(
  site: Site,
  { account, address }: Tried,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  const at = site.clock.now()
  const attempt = { id: randomId(), address: addressKey(address), account, at }
  const ago = (seconds: number) => new Date(at.getTime() - seconds * 1_000)
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteLoginTriesUntil(db, ago(longestSeconds))
    for (const { by, most, seconds } of limits) {
      const tries = await countLoginTries(db, { by, value: attempt[by], since: ago(seconds) })
      if (tries >= most) throw tooManyLogins(seconds)
    }
    await insertLoginTry(db, attempt)
  })
  if (!(await verify())) {
    await recordFailure(site, account)
    return false
  }
  await deleteLoginTry(site.db, attempt.id)
  return true
}

interface PasswordCheck extends Tried {
  password: string
  /** Undefined if there is no such user, empty if it has no password: what was given is then compared with the hash of another one. */
  passwordHash: string | undefined
}

/** Whether the password is right; wrong ones are counted. */
export const checkPassword = (
  site: Site,
  { account, address, password, passwordHash }: PasswordCheck,
): Promise<boolean> =>
  countTry(site, { account, address }, async () => {
    const isRight = await isPassword(password, passwordHash || dummyHash)
    return isRight && Boolean(passwordHash)
  })

/** Of a random password that was thrown away, with the cost of `hashPassword`. */
const dummyHash =
  '$argon2id$v=19$m=7168,t=5,p=2$JUA0BwY59MKPB9BOiBQb4A$J2A5M5E0QIe7bcjSPx8tiyV0YuEkw9RZy6LMDinM+oE'
