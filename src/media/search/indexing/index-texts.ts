import type { SiteDb } from '../../../db/index.ts'
import { batchSize, type JobContext } from '../../../scheduling/index.ts'
import type { Site } from '../../../site/index.ts'
import { lockSite } from '../../lock-site.ts'
import { reindexFilesOfIds } from '../index-file.ts'
import { updateAlbumsWithoutTexts, updateTagsWithoutForm } from './missing-texts-table.ts'
import { filesWithoutTexts, updateSortedTexts } from './searched-files-table.ts'

/** Makes what the search and the sorting need of older files, tags and albums. Each batch is done for good. */
export async function indexTexts(_site: Site, context: JobContext): Promise<number> {
  let count = 0
  for (const work of [indexFiles, updateTagsWithoutForm, updateAlbumsWithoutTexts]) {
    for (let done = batchSize; done === batchSize && !context.isOver; count += done) {
      done = await context.fencedTransaction(async (db) => {
        // Locked before the rows, as uploads and edits do.
        await lockSite(db)
        return work(db, batchSize)
      })
    }
  }
  return count
}

async function indexFiles(db: SiteDb, limit: number): Promise<number> {
  const files = await filesWithoutTexts(db, limit)
  if (files.length === 0) return 0
  await reindexFilesOfIds(
    db,
    files.map(({ id }) => id),
  )
  for (const file of files) await updateSortedTexts(db, file)
  return files.length
}
