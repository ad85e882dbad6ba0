import { inTransaction } from '../../db/index.ts'
import { type ChangingSite, recordChange, type Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { emailTaken, unauthenticated, wrongCurrentPassword } from '../errors.ts'
import { countUserKeys } from '../keys/user-keys-table.ts'
import { checkPassword, triesOfKnown } from '../sessions/check-password.ts'
import { deleteSessions } from '../sessions/sessions-table.ts'
import { hashPassword } from './passwords.ts'
import { lockUsers, recordPassword } from './users.ts'
import {
  findPasswordHash,
  findUser,
  hasEmail,
  type ListedUser,
  updatePassword,
  updateUser,
} from './users-table.ts'

export interface OwnAccount {
  user: ListedUser
  keyCount: number
}

export async function readOwnAccount(site: Site, caller: UserCaller): Promise<OwnAccount> {
  const user = await findUser(site.db, caller.userId)
  if (!user) throw unauthenticated()
  return { user, keyCount: await countUserKeys(site.db, caller.userId) }
}

/** Refuses a wrong password of the caller, and after too many wrong ones of this session or key every password. */
export async function checkOwnPassword(site: Site, caller: UserCaller, password: string): Promise<void> {
  const passwordHash = await findPasswordHash(site.db, caller.userId)
  const { userId: account, sessionId, keyId = '' } = caller
  const counted = triesOfKnown(sessionId === undefined ? `key ${keyId}` : `session ${sessionId}`)
  const isRight = await checkPassword(site, { account, counted, password, passwordHash })
  if (!isRight) throw wrongCurrentPassword()
}

interface AccountEdit {
  email: string | undefined
  /** Hashed before the transaction: hashing is too slow for one. */
  passwordHash: string | undefined
}

export const hashNewPassword = (password: string | undefined): Promise<string | undefined> =>
  password === undefined ? Promise.resolve(undefined) : hashPassword(password)

/** Changes the caller's own e-mail address and password. A new password ends the user's other sessions. */
export function editOwnAccount(
  site: ChangingSite,
  caller: UserCaller,
  { email, passwordHash }: AccountEdit,
): Promise<OwnAccount> {
  const now = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, now)
    const user = await findUser(db, caller.userId)
    if (!user) throw unauthenticated()
    const edited = { ...user, email: email ?? user.email }
    if (edited.email.toLowerCase() !== user.email.toLowerCase() && (await hasEmail(db, edited.email)))
      throw emailTaken(edited.email)
    await updateUser(db, user.id, edited, now)
    await recordChange(
      { ...site, db },
      { verb: 'user.updated', target: user.id, before: user, after: edited },
    )
    if (passwordHash !== undefined) {
      await updatePassword(db, user.id, passwordHash, now)
      await deleteSessions(db, user.id, caller.sessionId)
      await recordPassword({ ...site, db }, user.id)
    }
    return {
      user: { ...edited, updatedAt: now, version: user.version + 1 },
      keyCount: await countUserKeys(db, user.id),
    }
  })
}
