import type { SiteDb } from '../../../db/index.ts'

/** Each row has four parameters, and SQLite takes 32,766 of them. */
const mostPerStatement = 1_000

/** Removal records: storage keys without a row, whose bytes are to be removed. */
export async function insertRemovals(
  db: SiteDb,
  removals: readonly { id: string; path: string }[],
  at: Date,
): Promise<void> {
  for (let from = 0; from < removals.length; from += mostPerStatement) {
    const rows = removals.slice(from, from + mostPerStatement)
    await db
      .insertInto('removal')
      .values(rows.map((removal) => ({ ...removal, storageId: null, requestedAt: at.toISOString() })))
      .execute()
  }
}

export async function deleteRemovals(db: SiteDb, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('removal').where('id', 'in', ids).execute()
}

/** The oldest removal records. */
export function firstRemovals(db: SiteDb, limit: number): Promise<{ id: string; path: string }[]> {
  return db.selectFrom('removal').select(['id', 'path']).orderBy('requestedAt').limit(limit).execute()
}
