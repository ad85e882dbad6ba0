import type { Caller } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { batchSize, type JobContext } from '../../scheduling/index.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { type Removal, removeBytesNow } from '../files/removal/delete-files.ts'
import { insertRemovals } from '../files/removal/reserved-names-table.ts'
import { lockSite } from '../lock-site.ts'
import { deleteRateLimitHit } from '../upload/rate-limit-table.ts'
import {
  deleteUpload,
  expiredUploads,
  findUpload,
  type ResumableUpload,
  updateIdleToEnded,
  updateToEnded,
} from './resumable-uploads-table.ts'
import { readOwnUpload } from './upload-owner.ts'
import { deletePieces, folderOfPieces, keyOfPiece, piecesOfUpload } from './upload-pieces-table.ts'
import { forgottenAt } from './upload-times.ts'

/** Ends an upload of the caller for good. A file that it has become stays. */
export async function endOwnUpload(site: ChangingSite, caller: Caller, id: string): Promise<void> {
  const upload = await readOwnUpload(site, caller, id)
  const isOpen = upload.state === 'open'
  const removals = await inTransaction(site.db, async (db) => {
    // What is reserved counts for the quota, which locks the site: other transactions lock it before the upload.
    await lockSite(db)
    return endUpload(db, upload, { now: site.clock.now(), releasesSlot: isOpen })
  })
  await removeBytesNow(site, removals)
}

/** Releases what an upload has reserved, and replaces its pieces by removal records. Part of the caller's transaction. */
export async function endUpload(
  db: SiteDb,
  upload: ResumableUpload,
  { now, releasesSlot }: { now: Date; releasesSlot: boolean },
): Promise<Removal[]> {
  await updateToEnded(db, { id: upload.id, token: randomId() }, forgottenAt(now))
  return release(db, upload, { now, releasesSlot })
}

/** The same for an upload that was idle when it was read; undefined if a request has taken it over since. */
export async function endIdleUpload(
  db: SiteDb,
  upload: ResumableUpload,
  now: Date,
): Promise<Removal[] | undefined> {
  const isEnded = await updateIdleToEnded(db, upload, { token: randomId(), expiresAt: forgottenAt(now) })
  return isEnded ? release(db, upload, { now, releasesSlot: true }) : undefined
}

async function release(
  db: SiteDb,
  { id, rateLimitHitId }: ResumableUpload,
  { now, releasesSlot }: { now: Date; releasesSlot: boolean },
): Promise<Removal[]> {
  if (releasesSlot && rateLimitHitId !== undefined) await deleteRateLimitHit(db, rateLimitHitId)
  return dropPieces(db, id, now)
}

/** Replaces the pieces of an upload by removal records of their bytes. Part of the caller's transaction. */
export async function dropPieces(db: SiteDb, id: string, now: Date): Promise<Removal[]> {
  const pieces = await piecesOfUpload(db, id)
  if (pieces.length === 0) return []
  const removals = pieces.map((piece) => ({ id: randomId(), path: keyOfPiece(piece) }))
  await insertRemovals(db, removals, now)
  await deletePieces(db, id)
  return removals
}

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
