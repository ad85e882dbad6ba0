import type { SiteDb } from '../db/index.ts'
import { deleteFreedNamesBefore, insertFreedName, isFreedName } from './freed-names-table.ts'
import type { StoredFile } from './stored-file.ts'

/** The longest that a cache may keep a file without asking again. */
export const longestCachingSeconds = 365 * 24 * 60 * 60

interface Gone {
  folder: string
  nameKey: string
  expiresAt: string | null
}

/**
 * Notes the name of a file that goes for as long as its bytes may lie in caches: another file under it would
 * look like the old one to some, and not to others. Nobody caches a file beyond its own expiration.
 */
export async function keepName(db: SiteDb, { folder, nameKey, expiresAt }: Gone, now: Date): Promise<void> {
  await deleteFreedNamesBefore(db, now)
  const forgottenAt = new Date(now.getTime() + longestCachingSeconds * 1_000)
  const until = expiresAt !== null && new Date(expiresAt) < forgottenAt ? new Date(expiresAt) : forgottenAt
  if (until > now) await insertFreedName(db, { folder, nameKey }, until)
}

/** Whether caches may still hold another file's bytes under this one's name. */
export const isNameKept = (db: SiteDb, file: StoredFile, now: Date): Promise<boolean> =>
  isFreedName(db, { folder: file.folder, nameKey: file.name.toLowerCase() }, now)
