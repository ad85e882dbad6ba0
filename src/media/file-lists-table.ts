import type { SiteDb } from '../db/index.ts'
import { fileOfRow, isLive, liveFiles } from './files-table.ts'
import type { StoredFile } from './stored-file.ts'

export interface FileFilter {
  /** Only those that wait for approval. */
  isPending: boolean
  userId: string | undefined
  limit: number
}

export async function newestFiles(db: SiteDb, filter: FileFilter, now: Date): Promise<StoredFile[]> {
  let query = liveFiles(db, now).orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(filter.limit)
  if (filter.isPending) query = query.where('isApproved', '=', 0)
  if (filter.userId !== undefined) query = query.where('userId', '=', filter.userId)
  return (await query.execute()).map(fileOfRow)
}

/** Of a user, whether or not their time is over. */
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

/** How many files each user has, by their ids. */
export async function fileCountsOfUsers(db: SiteDb): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('file')
    .select((eb) => ['userId', eb.fn.countAll<number>().as('count')])
    .where('userId', 'is not', null)
    .groupBy('userId')
    .execute()
  return new Map(rows.map(({ userId, count }) => [userId ?? '', count]))
}

/** From now on they are a guest's. */
export async function disownFiles(db: SiteDb, userId: string): Promise<void> {
  await db.updateTable('file').set({ userId: null }).where('userId', '=', userId).execute()
}

export async function approveFile(db: SiteDb, id: string): Promise<void> {
  await db.updateTable('file').set({ isApproved: 1 }).where('id', '=', id).execute()
}

/** Tells how many there were. */
export async function approvePending(db: SiteDb, now: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('file')
    .set({ isApproved: 1 })
    .where('isApproved', '=', 0)
    .where(isLive(now.toISOString()))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
