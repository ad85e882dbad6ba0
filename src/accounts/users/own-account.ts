import { inTransaction, type SiteDb } from '../../db/index.ts'
import { type ChangingSite, recordChange, type Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { emailTaken, unauthenticated, wrongCurrentPassword } from '../errors.ts'
import { countUserKeys } from '../keys/user-keys-table.ts'
import { type AddressMail, linkToAddress } from '../links/confirm-address.ts'
import { checkPassword, triesOfKnown } from '../sessions/check-password.ts'
import { deleteSessions } from '../sessions/sessions-table.ts'
import { hashPassword } from './passwords.ts'
import { lockUsers, recordPassword } from './users.ts'
import {
  findPasswordHash,
  findUser,
  hasEmail,
  isSameAddress,
  type ListedUser,
  type UserChange,
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
  /** Whether the site sends mail: then a new address waits until its owner confirms it. */
  hasMail: boolean
  /** Hashed before the transaction: hashing is too slow for one. */
  passwordHash: string | undefined
}

export const hashNewPassword = (password: string | undefined): Promise<string | undefined> =>
  password === undefined ? Promise.resolve(undefined) : hashPassword(password)

/**
 * Changes the caller's own e-mail address and password. A new password ends the user's other sessions. With the account
 * goes the mail that is to be sent to the new address.
 */
export function editOwnAccount(
  site: ChangingSite,
  caller: UserCaller,
  { email, hasMail, passwordHash }: AccountEdit,
): Promise<OwnAccount & { mail: AddressMail }> {
  const now = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, now)
    const user = await findUser(db, caller.userId)
    if (!user) throw unauthenticated()
    const change = email === undefined ? {} : await addressChange(db, user, email, hasMail)
    const edited = await updateUser(db, user, { ...change, passwordHash }, now)
    await recordChange(
      { ...site, db },
      { verb: 'user.updated', target: user.id, before: user, after: edited },
    )
    if (passwordHash !== undefined) {
      await deleteSessions(db, user.id, caller.sessionId)
      await recordPassword({ ...site, db }, user.id)
    }
    // After the password, which ends the links before it.
    const waits = change.pendingEmail
    const mail = waits === undefined ? undefined : await linkToAddress({ ...site, db }, edited, waits)
    return { user: edited, keyCount: await countUserKeys(db, user.id), mail }
  })
}

/** With mail only its owner makes the address that of the user, and this says the same of an address that is taken. */
async function addressChange(
  db: SiteDb,
  user: ListedUser,
  email: string,
  hasMail: boolean,
): Promise<Pick<UserChange, 'email' | 'emailConfirmedAt' | 'pendingEmail'>> {
  const isSame = isSameAddress(email, user.email)
  if (isSame && (user.emailConfirmedAt || !hasMail)) return { email, pendingEmail: undefined }
  if (hasMail) return { pendingEmail: email }
  if (await hasEmail(db, email)) throw emailTaken(email)
  return { email, emailConfirmedAt: undefined, pendingEmail: undefined }
}
