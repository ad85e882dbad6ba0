import { inTransaction, type SiteDb } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import { type ChangingSite, recordChange, type Site } from '../../site/index.ts'
import { checkStillKnown, type UserCaller } from '../actor.ts'
import { hashOfToken } from '../callers.ts'
import { emailTaken, linkEnded } from '../errors.ts'
import { lockUsers } from '../users/users.ts'
import {
  findUser,
  findUserByEmail,
  hasEmail,
  isSameAddress,
  type ListedUser,
  updateUser,
} from '../users/users-table.ts'
import { takeConfirmation, takeMail } from './count-request.ts'
import { deleteMailLink, deleteMailLinksUntil, findMailLink, insertMailLink } from './mail-links-table.ts'

export const confirmationMs = 86_400_000

/**
 * The mail to an address that was entered: a link to confirm it, or, if a user has the address already, a word to that
 * user. The person who has entered it sees no difference. Undefined: no mail, since the address has got enough.
 */
export type AddressMail = { token: string } | { owner: string } | undefined

/** For the user's new address, which is stored as pending. Needs the lock of all accounts. */
export async function linkToAddress(site: ChangingSite, user: ListedUser, to: string): Promise<AddressMail> {
  const { db } = site
  const createdAt = site.clock.now()
  await deleteMailLinksUntil(db, createdAt)
  if (!(await takeConfirmation(site, user.id))) return undefined
  if (!isSameAddress(to, user.email) && (await hasEmail(db, to))) return mailToOwner(site, to)
  if (!(await takeMail(site, { kind: 'confirm', to }))) return undefined
  const token = randomSecret()
  const expiresAt = new Date(createdAt.getTime() + confirmationMs)
  const row = { kind: 'address', userId: user.id, content: to, createdAt, expiresAt } as const
  await insertMailLink(db, { ...row, tokenHash: hashOfToken(token) })
  return { token }
}

/** Undefined if the owner is banned too. Needs the lock of all accounts. */
export async function mailToOwner(site: ChangingSite, to: string): Promise<AddressMail> {
  const owner = await findUserByEmail(site.db, to)
  if (!owner || !(await takeMail(site, { kind: 'known', to }))) return undefined
  return { owner: owner.username }
}

/** The user of a link that still opens, with the address that it confirms. */
export const readAddressLink = (site: Site, token: string): Promise<ListedUser & { pendingEmail: string }> =>
  userOfLink(site.db, token, site.clock.now())

/** Makes the pending address that of the user, and returns the one before. Refuses one that another user has by now. */
export function confirmAddress(
  site: ChangingSite,
  token: string,
): Promise<{ user: ListedUser; oldEmail: string | undefined }> {
  const now = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const user = await userOfLink(db, token, now)
    const { pendingEmail: email } = user
    if (!isSameAddress(email, user.email) && (await hasEmail(db, email))) throw emailTaken(email)
    await deleteMailLink(db, hashOfToken(token))
    const confirmed = { email, emailConfirmedAt: now, pendingEmail: undefined }
    const edited = await updateUser(db, user, confirmed, now)
    const change = { verb: 'user.updated', target: user.id, before: user, after: edited } as const
    await recordChange({ ...site, db }, change)
    return { user: edited, oldEmail: user.email }
  })
}

/** Takes back an address that waits: its links open no more. */
export async function cancelAddress(site: ChangingSite, caller: UserCaller): Promise<void> {
  const now = site.clock.now()
  await inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await checkStillKnown(db, caller, now)
    const user = await findUser(db, caller.userId)
    if (user) await updateUser(db, user, { pendingEmail: undefined }, now)
  })
}

/** A link is good for the address that waits now, and for no other that the user has entered before. */
async function userOfLink(db: SiteDb, token: string, now: Date) {
  const link = await findMailLink(db, { tokenHash: hashOfToken(token), kind: 'address', now })
  const user = link?.userId === undefined ? undefined : await findUser(db, link.userId)
  if (!link || !user || user.isBanned || !isSameAddress(user.pendingEmail, link.content)) throw linkEnded()
  return { ...user, pendingEmail: link.content }
}
