import { batchSize, type JobContext } from '../../scheduling/index.ts'
import { readSettings, type Site } from '../../site/index.ts'
import { deleteEarlierRevisions, deleteFiles } from '../files/removal/delete-files.ts'
import { trashEndsBefore } from '../files/removal/trash.ts'
import { earlierBytesBefore } from '../files/revisions/revisions-table.ts'
import { lockSite } from '../lock-site.ts'
import { expiredFileIds, trashedFileIds } from './file-rows-table.ts'

/** Replaces the rows of expired files, which are no longer served, by removal records of their bytes. */
export const expireFiles = (site: Site, context: JobContext): Promise<number> =>
  untilDone(context, () =>
    context.fencedTransaction(async (db) => {
      // Locked before the rows, as uploads and removals do.
      await lockSite(db)
      const ids = await expiredFileIds(db, site.clock.now(), batchSize)
      return (await deleteFiles({ ...site, db }, ids)).count
    }),
  )

/** Removes files and earlier revisions that have been kept for `trash_days`. */
export async function emptyTrash(site: Site, context: JobContext): Promise<number> {
  const now = site.clock.now()
  const before = trashEndsBefore(await readSettings(site), now)
  const removeFiles = () =>
    context.fencedTransaction(async (db) => {
      await lockSite(db)
      const { count } = await deleteFiles({ ...site, db }, await trashedFileIds(db, before, batchSize))
      return count
    })
  const removeRevisions = () =>
    context.fencedTransaction(async (db) => {
      await lockSite(db)
      return deleteEarlierRevisions({ ...site, db }, await earlierBytesBefore(db, before, batchSize))
    })
  return (await untilDone(context, removeFiles)) + (await untilDone(context, removeRevisions))
}

async function untilDone(context: JobContext, removeBatch: () => Promise<number>): Promise<number> {
  for (let count = 0; ; ) {
    const removed = await removeBatch()
    count += removed
    if (removed < batchSize || context.isOver) return count
  }
}
