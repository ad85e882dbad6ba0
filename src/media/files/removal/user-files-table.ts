import { requestSync, type SiteDb } from '../../../db/index.ts'
import { deleteLabelTotalsOf, recounted } from '../../../site/index.ts'
import { purgeServed } from '../../purges/hidden-files-table.ts'

/** Gives a user's files and albums to another user, with what others are uploading into them. Returns how many of each. */
export async function updateOwner(
  db: SiteDb,
  { from, to, at }: { from: string; to: string; at: Date },
): Promise<{ files: number; albums: number }> {
  const updatedAt = at.toISOString()
  const files = await recounted(
    db,
    (eb) => eb('file.userId', 'in', [from, to]),
    () =>
      db
        .updateTable('file')
        .set({ userId: to, updatedAt })
        .set((row) => ({ version: row('version', '+', 1) }))
        .where('userId', '=', from)
        .executeTakeFirst(),
  )
  await deleteLabelTotalsOf(db, from)
  const albums = await db
    .updateTable('album')
    .set({ userId: to, updatedAt })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('userId', '=', from)
    .executeTakeFirst()
  await db
    .updateTable('resumableUpload')
    .set({ ownerId: to })
    .where('ownerId', '=', from)
    // Those of the user cannot be finished.
    .where((row) => row.or([row('userId', 'is', null), row('userId', '<>', from)]))
    .execute()
  return { files: Number(files.numUpdatedRows), albums: Number(albums.numUpdatedRows) }
}

/** Puts a user's files into the trash. Returns how many, without those that are there already. */
export async function trashFilesOfUser(db: SiteDb, userId: string, at: Date): Promise<number> {
  await purgeServed(db, (eb) => eb('file.userId', '=', userId))
  const { numUpdatedRows } = await recounted(
    db,
    (eb) => eb('file.userId', '=', userId),
    () =>
      db
        .updateTable('file')
        .set({ deletedAt: at.toISOString(), removedBy: 'staff', updatedAt: at.toISOString() })
        .set((row) => ({ version: row('version', '+', 1) }))
        .where('userId', '=', userId)
        .where('deletedAt', 'is', null)
        .executeTakeFirst(),
  )
  requestSync(db)
  return Number(numUpdatedRows)
}
