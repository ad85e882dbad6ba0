import type { SiteDb } from '../db/index.ts'

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
