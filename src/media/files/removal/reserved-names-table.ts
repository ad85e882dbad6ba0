import { prepare, requestSync, type SiteDb } from '../../../db/index.ts'
import type { StoredFile } from '../stored-file.ts'

/** The longest `max-age` of a file. */
export const longestCachingSeconds = 365 * 24 * 60 * 60

interface DeletedName {
  folder: string
  nameKey: string
  expiresAt: string | null
}

/**
 * Reserves the names of deleted files for as long as caches may hold their bytes: a new file with that name would
 * look like the old one to some clients. No cache keeps a file beyond its expiration.
 */
export async function reserveNames(db: SiteDb, deleted: readonly DeletedName[], now: Date): Promise<void> {
  await deleteReservedNamesBefore(db, now)
  const uncachedAt = new Date(now.getTime() + longestCachingSeconds * 1_000)
  const reserved = deleted.flatMap(({ folder, nameKey, expiresAt }) => {
    const until = expiresAt !== null && new Date(expiresAt) < uncachedAt ? new Date(expiresAt) : uncachedAt
    return until > now ? [{ folder, nameKey, until: until.toISOString() }] : []
  })
  if (reserved.length > 0) await insertReservedNames(db, reserved)
}

/** Whether caches may still hold a deleted file's bytes under this file's name. */
export const isNameReserved = (db: SiteDb, file: StoredFile, now: Date): Promise<boolean> =>
  isReservedName(db, { folder: file.folder, nameKey: file.name.toLowerCase() }, now)

interface Name {
  folder: string
  nameKey: string
}

async function insertReservedNames(db: SiteDb, names: readonly (Name & { until: string })[]): Promise<void> {
  await db
    .insertInto('freedName')
    .values(names)
    .onConflict((conflict) =>
      conflict.columns(['folder', 'nameKey']).doUpdateSet((row) => ({ until: row.ref('excluded.until') })),
    )
    .execute()
}

const reservedUntil = prepare((db, { folder, nameKey, now }: Record<'folder' | 'nameKey' | 'now', never>) =>
  db
    .selectFrom('freedName')
    .select('until')
    .where('folder', '=', folder)
    .where('nameKey', '=', nameKey)
    .where('until', '>', now),
)

async function isReservedName(db: SiteDb, { folder, nameKey }: Name, now: Date): Promise<boolean> {
  const rows = await reservedUntil.rows(db, { folder, nameKey, now: now.toISOString() })
  return rows.length > 0
}

async function deleteReservedNamesBefore(db: SiteDb, before: Date): Promise<void> {
  await db.deleteFrom('freedName').where('until', '<=', before.toISOString()).execute()
}

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
  if (removals.length > 0) requestSync(db)
}

export async function deleteRemovals(db: SiteDb, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('removal').where('id', 'in', ids).execute()
}

/** The oldest removal records. */
export function firstRemovals(db: SiteDb, limit: number): Promise<{ id: string; path: string }[]> {
  return db.selectFrom('removal').select(['id', 'path']).orderBy('requestedAt').limit(limit).execute()
}
