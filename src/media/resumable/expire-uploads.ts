import { batchSize, type JobContext } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { lockSite } from '../lock-site.ts'
import { endUpload } from './end-upload.ts'
import { folderOfPieces } from './upload-pieces-table.ts'
import { deleteUpload, expiredUploads, findUpload, type ResumableUpload } from './resumable-uploads-table.ts'

/** Ends uploads whose time is over, and forgets those that ended a day ago. */
export async function expireUploads(site: Site, context: JobContext): Promise<number> {
  for (let count = 0; ; ) {
    const expired = await expiredUploads(site.db, site.clock.now(), batchSize)
    for (const upload of expired) {
      if (context.isOver) return count
      if (upload.state === 'open' || upload.state === 'finishing') await expire(site, context, upload)
      else await forget(site, context, upload)
      count += 1
    }
    if (expired.length < batchSize || context.isOver) return count
  }
}

async function expire(site: Site, context: JobContext, { id }: ResumableUpload): Promise<void> {
  const now = site.clock.now()
  await context.fencedTransaction(async (db) => {
    await lockSite(db)
    const upload = await findUpload(db, id)
    // More bytes may have come meanwhile, or the file.
    if (upload && isOver(upload, now)) await endUpload(db, upload, { now, releasesSlot: true })
  })
}

const isOver = ({ state, expiresAt, leasedUntil }: ResumableUpload, now: Date) =>
  expiresAt <= now && (state === 'open' || (state === 'finishing' && (leasedUntil ?? now) <= now))

/** A killed server may have put pieces that it had no time to name in a row: they are found by their folder. */
async function forget(site: Site, context: JobContext, { id }: ResumableUpload): Promise<void> {
  await site.storage.removeAll(folderOfPieces(id))
  await context.fencedTransaction((db) => deleteUpload(db, id))
}
