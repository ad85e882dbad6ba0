import type { SiteDb } from '../db/index.ts'

/** Bytes that nobody refers to any more, to be removed when it suits. */
export async function insertRemovals(
  db: SiteDb,
  removals: readonly { id: string; path: string }[],
  at: Date,
): Promise<void> {
  await db
    .insertInto('removal')
    .values(removals.map((removal) => ({ ...removal, storageId: null, requestedAt: at.toISOString() })))
    .execute()
}

export async function deleteRemovals(db: SiteDb, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('removal').where('id', 'in', ids).execute()
}

/** Those that have waited the longest. */
export function firstRemovals(db: SiteDb, limit: number): Promise<{ id: string; path: string }[]> {
  return db.selectFrom('removal').select(['id', 'path']).orderBy('requestedAt').limit(limit).execute()
}
