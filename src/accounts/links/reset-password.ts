import { inTransaction, type SiteDb } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import { type ChangingSite, recordChanges, type Site } from '../../site/index.ts'
import { hashOfToken } from '../callers.ts'
import { linkEnded } from '../errors.ts'
import { deleteSessions } from '../sessions/sessions-table.ts'
import { lockUsers, recordPassword } from '../users/users.ts'
import { findUser, findUserByEmail, type ListedUser, updateUser } from '../users/users-table.ts'
import { takeMail } from './count-request.ts'
import { deleteAccess } from './delete-access-table.ts'
import { deleteMailLinksUntil, findMailLink, insertMailLink } from './mail-links-table.ts'

const lastsMs = 1_800_000

export interface ResetLink {
  username: string
  email: string
  token: string
}

/**
 * A link to set a new password, for a mail to this address. Undefined if no user has it, or if it has got enough mails.
 * Links before it stay good: anyone may ask for another one while its owner reads the first.
 */
export function createResetLink(
  site: ChangingSite,
  { email, kind }: { email: string; kind: 'reset' | 'staff-reset' },
): Promise<ResetLink | undefined> {
  const createdAt = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteMailLinksUntil(db, createdAt)
    const user = await findUserByEmail(db, email)
    if (user?.email === undefined || !(await takeMail({ ...site, db }, { kind, to: email }))) return undefined
    const token = randomSecret()
    const expiresAt = new Date(createdAt.getTime() + lastsMs)
    const row = { kind: 'reset', userId: user.id, content: '', createdAt, expiresAt } as const
    await insertMailLink(db, { ...row, tokenHash: hashOfToken(token) })
    return { username: user.username, email: user.email, token }
  })
}

/** The user of a link that still opens. Looking at it does not use it up: mail programs do so too. */
export const readResetLink = (site: Site, token: string): Promise<ListedUser> =>
  userOfLink(site.db, token, site.clock.now())

/**
 * Sets the password, confirms the address, and ends all sessions and links of the user. What was made before the address
 * was confirmed ends too: it may be that of a person who has used the address of another one.
 */
export function resetByLink(
  site: ChangingSite,
  { token, passwordHash }: { token: string; passwordHash: string },
): Promise<ListedUser> {
  const now = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const user = await userOfLink(db, token, now)
    const { emailConfirmedAt } = user
    const reset = await updateUser(db, user, { passwordHash, emailConfirmedAt: emailConfirmedAt ?? now }, now)
    await deleteSessions(db, user.id)
    await endEarlyRights({ ...site, db }, user)
    await recordPassword({ ...site, db }, user.id)
    return reset
  })
}

async function endEarlyRights(site: ChangingSite, { id, emailConfirmedAt }: ListedUser): Promise<void> {
  const early = { userId: id, before: emailConfirmedAt, now: site.clock.now() }
  const { keys, shares } = await deleteAccess(site.db, early)
  await recordChanges(site, [
    ...keys.map((target) => ({ verb: 'key.deleted', target }) as const),
    ...shares.map((target) => ({ verb: 'share.revoked', target }) as const),
  ])
}

async function userOfLink(db: SiteDb, token: string, now: Date): Promise<ListedUser> {
  const link = await findMailLink(db, { tokenHash: hashOfToken(token), kind: 'reset', now })
  const user = link?.userId === undefined ? undefined : await findUser(db, link.userId)
  if (!user || user.isBanned) throw linkEnded()
  return user
}
