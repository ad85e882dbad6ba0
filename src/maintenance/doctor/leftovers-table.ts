import type { SiteDb } from '../../db/index.ts'

/** Removal records, oldest first. */
export function removalsBefore(
  db: SiteDb,
  before: Date,
  limit: number,
): Promise<{ id: string; path: string; requestedAt: string }[]> {
  return db
    .selectFrom('removal')
    .select(['id', 'path', 'requestedAt'])
    .where('requestedAt', '<', before.toISOString())
    .orderBy('requestedAt')
    .limit(limit)
    .execute()
}

export async function deleteRemoval(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('removal').where('id', '=', id).execute()
}

/** Those of the keys that have a removal record. */
export async function pathsWithRemoval(db: SiteDb, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const rows = await db.selectFrom('removal').select('path').where('path', 'in', paths).execute()
  return new Set(rows.map((row) => row.path))
}

export function expiredBefore(
  db: SiteDb,
  before: Date,
  limit: number,
): Promise<{ id: string; expiresAt: string | null }[]> {
  return db
    .selectFrom('file')
    .select(['id', 'expiresAt'])
    .where('expiresAt', '<', before.toISOString())
    .orderBy('expiresAt')
    .limit(limit)
    .execute()
}
