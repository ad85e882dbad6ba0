import { batchSize, type JobContext } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { deleteFiles } from '../files/removal/delete-files.ts'
import { lockSite } from '../lock-site.ts'
import { expiredFileIds } from './file-rows-table.ts'

/** Replaces the rows of expired files, which are no longer served, by removal records of their bytes. */
export async function expireFiles(site: Site, context: JobContext): Promise<number> {
  for (let count = 0; ; ) {
    const expired = await expireBatch(site, context)
    count += expired
    if (expired < batchSize || context.isOver) return count
  }
}

function expireBatch(site: Site, context: JobContext): Promise<number> {
  const now = site.clock.now()
  return context.fencedTransaction(async (db) => {
    // Locked before the rows, as uploads and removals do.
    await lockSite(db)
    const { count } = await deleteFiles({ ...site, db }, await expiredFileIds(db, now, batchSize))
    return count
  })
}
