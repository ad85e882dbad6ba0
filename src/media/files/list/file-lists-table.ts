import type { SiteDb } from '../../../db/index.ts'
import { deleteLabelTotalsOf } from '../../../site/index.ts'
import { isOwn, type Visibility } from '../../visibility-table.ts'
import { fileOfRow, isLive, isUnexpired, liveFiles, updateFiles } from '../files-table.ts'
import type { StoredFile } from '../stored-file.ts'

export interface FileFilter {
  /** Only files that wait for approval. */
  isPending: boolean
  userId: string | undefined
  limit: number
}

export async function newestFiles(db: SiteDb, filter: FileFilter, now: Date): Promise<StoredFile[]> {
  let query = liveFiles(db, now).orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(filter.limit)
  if (filter.isPending) query = query.where((eb) => eb('isApproved', '=', eb.lit(0)))
  if (filter.userId !== undefined) query = query.where('userId', '=', filter.userId)
  return (await query.execute()).map(fileOfRow)
}

/** Files in the trash, the last one first. */
export async function trashedFiles(db: SiteDb, now: Date, limit: number): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('file')
    .selectAll()
    .where('deletedAt', 'is not', null)
    .where(isUnexpired(now.toISOString()))
    .orderBy('deletedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(fileOfRow)
}

export async function findTrashedFile(db: SiteDb, id: string, now: Date): Promise<StoredFile | undefined> {
  const row = await db
    .selectFrom('file')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is not', null)
    .where(isUnexpired(now.toISOString()))
    .executeTakeFirst()
  return row && fileOfRow(row)
}

/** The files of a user, expired or not. */
export async function filesOfUser(db: SiteDb, userId: string, limit: number): Promise<StoredFile[]> {
  const rows = await db.selectFrom('file').selectAll().where('userId', '=', userId).limit(limit).execute()
  return rows.map(fileOfRow)
}

export async function countFilesOfUser(db: SiteDb, userId: string): Promise<number> {
  const row = await db
    .selectFrom('file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return row.count
}

/** The number of files of each user without those in the trash, by user id. */
export async function fileCountsOfUsers(db: SiteDb): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('file')
    .select((eb) => ['userId', eb.fn.countAll<number>().as('count')])
    .where('userId', 'is not', null)
    .where('deletedAt', 'is', null)
    .groupBy('userId')
    .execute()
  return new Map(rows.map(({ userId, count }) => [userId ?? '', count]))
}

/** Turns a user's files into a guest's. */
export async function clearFileOwner(db: SiteDb, userId: string, at: Date): Promise<void> {
  await db
    .updateTable('file')
    .set({ userId: null, updatedAt: at.toISOString() })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('userId', '=', userId)
    .execute()
  await deleteLabelTotalsOf(db, userId)
}

const approvedAtOnce = 500

/** Returns the number of files approved. */
export async function approvePending(db: SiteDb, now: Date): Promise<number> {
  for (let approved = 0; ; ) {
    const pending = await db
      .selectFrom('file')
      .select('id')
      .where((eb) => eb('isApproved', '=', eb.lit(0)))
      .where(isLive(now.toISOString()))
      .limit(approvedAtOnce)
      .execute()
    if (pending.length === 0) return approved
    await updateFiles(
      db,
      pending.map(({ id }) => id),
      { isApproved: 1 },
      now,
    )
    approved += pending.length
  }
}

/** Those of the files that the caller may change, in their order. */
export async function ownFileIds(
  db: SiteDb,
  visibility: Visibility,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('file')
    .select('file.id')
    .where('file.id', 'in', ids)
    .where(isLive(now.toISOString()))
    .where(isOwn(visibility))
    .execute()
  const found = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => found.has(id))
}

/** Files of an album that are not in the trash, expired or not. */
export async function filesOfAlbum(db: SiteDb, albumId: string, limit: number): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('file')
    .selectAll()
    .where('albumId', '=', albumId)
    .where('deletedAt', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(fileOfRow)
}
