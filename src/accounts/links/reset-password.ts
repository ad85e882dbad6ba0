import { inTransaction, type SiteDb } from '../../db/index.ts'
import { randomSecret } from '../../lib/ids.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { hashOfToken } from '../callers.ts'
import { linkEnded } from '../errors.ts'
import { deleteSessions } from '../sessions/sessions-table.ts'
import { lockUsers, recordPassword } from '../users/users.ts'
import {
  findUser,
  findUserByEmail,
  type ListedUser,
  type User,
  updatePassword,
} from '../users/users-table.ts'
import { deleteMailLinksOf, deleteMailLinksUntil, findMailLink, insertMailLink } from './mail-links-table.ts'

const lastsMs = 1_800_000

/** A link to set a new password, for a mail to this address; undefined if no user has it. Links before it end. */
export function createResetLink(
  site: ChangingSite,
  email: string,
): Promise<{ user: User; token: string } | undefined> {
  const createdAt = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    await deleteMailLinksUntil(db, createdAt)
    const user = await findUserByEmail(db, email)
    if (!user) return undefined
    await deleteMailLinksOf(db, user.id)
    const token = randomSecret()
    const expiresAt = new Date(createdAt.getTime() + lastsMs)
    const row = { kind: 'reset', userId: user.id, content: '', createdAt, expiresAt } as const
    await insertMailLink(db, { ...row, tokenHash: hashOfToken(token) })
    return { user, token }
  })
}

/** The user of a link that still opens. Looking at it does not use it up: mail programs do so too. */
export const readResetLink = (site: Site, token: string): Promise<ListedUser> =>
  userOfLink(site.db, token, site.clock.now())

/** Sets the password and ends all sessions and links of the user. */
export function resetByLink(
  site: ChangingSite,
  { token, passwordHash }: { token: string; passwordHash: string },
): Promise<ListedUser> {
  const now = site.clock.now()
  return inTransaction(site.db, async (db) => {
    await lockUsers(db)
    const user = await userOfLink(db, token, now)
    await updatePassword(db, user.id, passwordHash, now)
    await deleteSessions(db, user.id)
    await deleteMailLinksOf(db, user.id)
    await recordPassword({ ...site, db }, user.id)
    return user
  })
}

async function userOfLink(db: SiteDb, token: string, now: Date): Promise<ListedUser> {
  const link = await findMailLink(db, { tokenHash: hashOfToken(token), kind: 'reset', now })
  const user = link?.userId === undefined ? undefined : await findUser(db, link.userId)
  if (!user || user.isBanned) throw linkEnded()
  return user
}
