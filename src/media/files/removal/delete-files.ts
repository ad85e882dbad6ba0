import type { SiteDb } from '../../../db/index.ts'
import { randomId } from '../../../lib/ids.ts'
import { type AuditedSite, addToDay, addToTotal, recordChanges } from '../../../site/index.ts'
import { lockSite } from '../../lock-site.ts'
import { deleteFileRows } from '../files-table.ts'
import { deleteRevisions, type EarlierBytes, earlierBytesOf } from '../revisions/revisions-table.ts'
import { keysOf } from '../stored-file.ts'
import { insertRemovals } from './removals-table.ts'
import { reserveNames } from './reserved-names-table.ts'

export interface Removal {
  id: string
  path: string
}

interface Deletion {
  verb?: 'file.removed' | 'file.rejected'
  reason?: string | undefined
}

/**
 * Replaces the rows of files and of their earlier revisions by removal records of their bytes. Ids without a row are left
 * out. Part of the caller's transaction.
 */
export async function deleteFiles(
  site: AuditedSite,
  ids: readonly string[],
  { verb = 'file.removed', reason }: Deletion = {},
): Promise<{ count: number; removals: Removal[] }> {
  const { db } = site
  const now = site.clock.now()
  if (ids.length === 0) return { count: 0, removals: [] }
  // Locks the totals before the rows, as uploads do: another order would deadlock.
  await lockSite(db)
  const earlier = await earlierBytesOf(db, ids)
  const deleted = await deleteFileRows(db, ids)
  if (deleted.length === 0) return { count: 0, removals: [] }
  const counted = deleted.filter(({ deletedAt }) => deletedAt === null).length
  await addToTotal(db, 'files', -counted)
  const freed = sumOf(deleted, 'storedBytes') + sumOf(earlier, 'storedBytes')
  await addToTotal(db, 'storageUsed', -freed)
  await addToDay(site, { storageUsed: -freed })
  await addToTotal(db, 'fileViews', -sumOf(deleted, 'views'))
  await addToTotal(db, 'fileLikes', -sumOf(deleted, 'likes'))
  await reserveNames(db, deleted, now)
  await recordChanges(
    site,
    deleted.map(({ id, originalName, userId }) => ({
      verb,
      target: id,
      before: { originalName, userId },
      ...(reason !== undefined && { after: { reason } }),
    })),
  )
  return { count: deleted.length, removals: await writeRemovals(db, [...deleted, ...earlier], now) }
}

/** Replaces earlier revisions by removal records of their bytes. Part of the caller's transaction. */
export async function deleteEarlierRevisions(
  site: AuditedSite,
  earlier: readonly EarlierBytes[],
): Promise<number> {
  if (earlier.length === 0) return 0
  const { db } = site
  const freed = sumOf(earlier, 'storedBytes')
  await addToTotal(db, 'storageUsed', -freed)
  await addToDay(site, { storageUsed: -freed })
  await deleteRevisions(
    db,
    earlier.map(({ id: fileId, revision }) => ({ fileId, revision })),
  )
  await writeRemovals(db, earlier, site.clock.now())
  return earlier.length
}

async function writeRemovals(
  db: SiteDb,
  bytes: readonly Parameters<typeof keysOf>[0][],
  now: Date,
): Promise<Removal[]> {
  const removals = bytes.flatMap((each) => keysOf(each).map((path) => ({ id: randomId(), path })))
  await insertRemovals(db, removals, now)
  return removals
}

const sumOf = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  rows.reduce((sum, row) => sum + row[name], 0)
