import { prepare, requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'
import { type CreatedPosition, isCreatedBefore } from '../created-position-table.ts'
import type { Role } from '../users/users-table.ts'

/** A session as its user sees it; the token is stored as a hash and never shown. */
export interface Session {
  id: string
  userId: string
  address: string
  userAgent: string
  isLasting: boolean
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

interface NewRow extends Session {
  tokenHash: string
  provenAt: Date
}

export async function insertSession(db: SiteDb, session: NewRow): Promise<void> {
  await db
    .insertInto('session')
    .values({
      ...session,
      provenAt: session.provenAt.toISOString(),
      isLasting: Number(session.isLasting),
      createdAt: session.createdAt.toISOString(),
      lastUsedAt: session.lastUsedAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    })
    .execute()
  requestSync(db)
}

interface SessionOwner {
  id: string
  userId: string
  role: Role
  username: string
  preferences: string
  /** Of the picture of the user. */
  pictureHash: string | null
  isBanned: boolean
  lastUsedAt: Date
  provenAt: Date | undefined
  hasPassword: boolean
}

const ownerOfToken = prepare((db, { tokenHash, now }: Record<'tokenHash' | 'now', never>) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id', 'session.lastUsedAt', 'session.provenAt'])
    .select(['user.id as userId', 'user.username', 'user.role', 'user.isBanned', 'user.preferences'])
    .leftJoin('profile', 'profile.userId', 'user.id')
    .select(['user.passwordHash', 'profile.pictureHash'])
    .where('session.tokenHash', '=', tokenHash)
    .where('session.expiresAt', '>', now),
)

/** The user of a session that has not ended. */
export async function findSession(
  db: SiteDb,
  tokenHash: string,
  now: Date,
): Promise<SessionOwner | undefined> {
  const [row] = await ownerOfToken.rows(db, { tokenHash, now: now.toISOString() })
  if (!row) return undefined
  const provenAt = row.provenAt === null ? undefined : new Date(row.provenAt)
  const { passwordHash, ...owner } = row
  return {
    ...owner,
    isBanned: row.isBanned === 1,
    lastUsedAt: new Date(row.lastUsedAt),
    provenAt,
    hasPassword: passwordHash !== '',
  }
}

/** Those of the hashes that sessions have; in one query, whatever their number. */
export async function storedTokenHashes(db: SiteDb, tokenHashes: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('session')
    .select('tokenHash')
    .where('tokenHash', 'in', tokenHashes)
    .execute()
  return rows.map(({ tokenHash }) => tokenHash)
}

export async function findSessionById(
  db: SiteDb,
  id: string,
  now: Date,
): Promise<{ isBanned: boolean; role: Role } | undefined> {
  const row = await db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['user.isBanned', 'user.role'])
    .where('session.id', '=', id)
    .where('session.expiresAt', '>', now.toISOString())
    .executeTakeFirst()
  return row && { isBanned: row.isBanned === 1, role: row.role }
}

/** A page of a user's sessions that have not ended, the youngest first. */
export async function sessionsAfter(
  db: SiteDb,
  userId: string,
  { after, limit, now }: { after: CreatedPosition | undefined; limit: number; now: Date },
): Promise<Session[]> {
  let query = db
    .selectFrom('session')
    .select(sessionColumns)
    .where('userId', '=', userId)
    .where('expiresAt', '>', now.toISOString())
  if (after) query = query.where(isCreatedBefore(after))
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(sessionOfRow)
}

const sessionColumns = [
  'id',
  'userId',
  'address',
  'userAgent',
  'isLasting',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
] as const

type SessionRow = Pick<SiteTables['session'], (typeof sessionColumns)[number]>

const sessionOfRow = (row: SessionRow): Session => ({
  ...row,
  isLasting: row.isLasting === 1,
  createdAt: new Date(row.createdAt),
  lastUsedAt: new Date(row.lastUsedAt),
  expiresAt: new Date(row.expiresAt),
})

export async function findOwnSession(db: SiteDb, id: string): Promise<Session | undefined> {
  const row = await db.selectFrom('session').select(sessionColumns).where('id', '=', id).executeTakeFirst()
  return row && sessionOfRow(row)
}

/**
 * Writes only if the stored time is older, so that all servers together write once for each time. Times beyond `latest` are of
 * a clock that was set back: they are replaced, and a proof is dropped, because it would count when its time comes.
 */
export async function updateSessionUse(
  db: SiteDb,
  id: string,
  { at, latest, address, expiresAt }: { at: Date; latest: Date; address: string; expiresAt: Date },
): Promise<void> {
  const lastUsedAt = at.toISOString()
  const last = latest.toISOString()
  await db
    .updateTable('session')
    .set({ lastUsedAt, address, expiresAt: expiresAt.toISOString() })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', '<', lastUsedAt), eb('lastUsedAt', '>', last)]))
    .execute()
  await db
    .updateTable('session')
    .set({ provenAt: null })
    .where('id', '=', id)
    .where('provenAt', '>', last)
    .execute()
}

export async function updateProof(db: SiteDb, id: string, at: Date): Promise<void> {
  await db.updateTable('session').set({ provenAt: at.toISOString() }).where('id', '=', id).execute()
}

export async function updateToken(db: SiteDb, id: string, tokenHash: string): Promise<void> {
  await db.updateTable('session').set({ tokenHash }).where('id', '=', id).execute()
}

/** False if the user has no such session. */
export async function deleteSession(db: SiteDb, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the number of sessions deleted. */
export async function deleteSessionsUntil(db: SiteDb, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('expiresAt', '<=', now.toISOString())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes all sessions of a user, except one if it is given. */
export async function deleteSessions(db: SiteDb, userId: string, exceptId?: string): Promise<void> {
  const query = db.deleteFrom('session').where('userId', '=', userId)
  await (exceptId === undefined ? query : query.where('id', '!=', exceptId)).execute()
}
