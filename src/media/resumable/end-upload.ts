import type { Caller } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import type { ChangingSite } from '../../site/index.ts'
import type { Removal } from '../files/removal/delete-files.ts'
import { insertRemovals } from '../files/removal/removals-table.ts'
import { removeBytesNow } from '../files/removal/remove-file.ts'
import { deleteRateLimitHit } from '../upload/rate-limit-table.ts'
import { deletePieces, keyOfPiece, piecesOfUpload } from './upload-pieces-table.ts'
import { type ResumableUpload, updateIdleToEnded, updateToEnded } from './resumable-uploads-table.ts'
import { readOwnUpload } from './upload-owner.ts'
import { forgottenAt } from './upload-times.ts'

/** Ends an upload of the caller for good. A file that it has become stays. */
export async function endOwnUpload(site: ChangingSite, caller: Caller, id: string): Promise<void> {
  const upload = await readOwnUpload(site, caller, id)
  const isOpen = upload.state === 'open'
  const removals = await inTransaction(site.db, (db) =>
    endUpload(db, upload, { now: site.clock.now(), releasesSlot: isOpen }),
  )
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
