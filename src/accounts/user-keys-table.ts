import type { SiteDb } from '../db/index.ts'
import type { Role } from './users-table.ts'

export interface NewUserKey {
  id: string
  userId: string
  name: string
  secretHash: string
  createdAt: Date
}

/** False when the user has a key of that name. */
export async function insertUserKey(db: SiteDb, { createdAt, ...key }: NewUserKey): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('userKey')
    .values({ ...key, createdAt: createdAt.toISOString(), expiresAt: null })
    .onConflict((conflict) => conflict.columns(['userId', 'name']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

interface KeyOwner {
  userId: string
  role: Role
  isBanned: boolean
  secretHash: string
}

/** The owner of a key that is not expired. */
export async function findUserOfKey(db: SiteDb, id: string, now: Date): Promise<KeyOwner | undefined> {
  const row = await db
    .selectFrom('userKey')
    .innerJoin('user', 'user.id', 'userKey.userId')
    .select(['user.id as userId', 'user.role', 'user.isBanned', 'userKey.secretHash'])
    .where('userKey.id', '=', id)
    .where((eb) =>
      eb.or([eb('userKey.expiresAt', 'is', null), eb('userKey.expiresAt', '>', now.toISOString())]),
    )
    .executeTakeFirst()
  return row && { ...row, isBanned: row.isBanned === 1 }
}
