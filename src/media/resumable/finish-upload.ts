import type { Caller } from '../../accounts/index.ts'
import { inTransaction, markChecked, type SiteDb } from '../../db/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { ChangingSite } from '../../site/index.ts'
import { takenOver } from '../errors.ts'
import type { ShownFile } from '../files/list/shown-columns-table.ts'
import { type Removal, removeBytesNow } from '../files/removal/delete-files.ts'
import { replaceContent } from '../files/revisions/replace-file.ts'
import { lockSite } from '../lock-site.ts'
import { collectFile, readCollectedRequest } from '../shares/collect-files.ts'
import { deleteRateLimitHit } from '../upload/rate-limit-table.ts'
import { uploadFile } from '../upload/upload.ts'
import { emptyUploadRequest, readUploadRequest, type Uploaded } from '../upload/upload-request.ts'
import { dropPieces, endUpload } from './end-upload.ts'
import { assembleFile, type PieceSpool, type SpooledPiece } from './receive-pieces.ts'
import {
  findUpload,
  type HeldUpload,
  type ResumableUpload,
  updateLease,
  updateToDone,
  updateToFinishing,
  updateToOpen,
} from './resumable-uploads-table.ts'
import { uploaderOf } from './upload-owner.ts'
import { forgottenAt, leaseFrom, renewalMs } from './upload-times.ts'

/** What an upload has become. */
export type Finished = { uploaded: Uploaded; isCollected: boolean } | { replaced: ShownFile }

export interface Finishing {
  upload: ResumableUpload
  last: SpooledPiece & HeldUpload
  spool: PieceSpool
  /** The name of the file. */
  name: string | undefined
  parameters: ReadonlyMap<string, string>
  /** The IP address of the client. */
  address: string
  /** Writes the answer that is kept with the upload; part of the transaction that makes the file. */
  write: (db: SiteDb, finished: Finished) => Promise<string>
}

/**
 * Makes the file of an upload whose last piece is there. The offset reaches the length in the transaction that stores the file: if
 * this process is killed before, the client sends the last piece again.
 */
export async function finishUpload(
  site: ChangingSite,
  caller: Caller,
  finishing: Finishing,
): Promise<Finished> {
  const { last, upload } = finishing
  const leasedUntil = leaseFrom(site.clock.now())
  const isHeld = await updateToFinishing(site.db, last, { offsetBytes: last.offsetBytes, leasedUntil })
  if (!isHeld) throw takenOver()
  let isSlotFree = false
  const releaseSlot = async () => {
    isSlotFree = true
  }
  try {
    using _lease = renewLease(site, last)
    const { finished, removals } = await makeFile(site, caller, { ...finishing, releaseSlot })
    await removeBytesNow(site, removals)
    return finished
  } catch (error) {
    // If this fails too, the lease ends by itself, and the caller must still learn the first reason.
    const ending = isFinal(error) ? endRefused(site, upload, last, isSlotFree) : updateToOpen(site.db, last)
    await ending.catch(() => undefined)
    throw error
  }
}

/** Keeps other requests away while this process works; after a kill the lease ends by itself. */
function renewLease(site: ChangingSite, held: HeldUpload): Disposable {
  let isRenewing = false
  const renew = async () => {
    // A slow database gets one renewal at a time.
    if (isRenewing) return
    isRenewing = true
    await updateLease(site.db, held, leaseFrom(site.clock.now())).catch(() => undefined)
    isRenewing = false
  }
  const timer = setInterval(() => void renew(), renewalMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Whether the same bytes would be refused again. */
const isFinal = (error: unknown) =>
  error instanceof Refusal && error.kind !== 'unavailable' && error.code !== takenOver().code

/** Another request may have taken the upload over, if this process was frozen past its lease. */
async function endRefused(
  site: ChangingSite,
  { id }: ResumableUpload,
  held: HeldUpload,
  releasesSlot: boolean,
): Promise<void> {
  const removals = await inTransaction(site.db, async (db) => {
    // What is refused is ended also for a caller whose rights have ended: it gives the storage back.
    markChecked(db)
    await lockSite(db)
    const current = await findUpload(db, id)
    if (current?.token !== held.token) return []
    return endUpload(db, current, { now: site.clock.now(), releasesSlot })
  })
  await removeBytesNow(site, removals)
}

interface Making extends Finishing {
  releaseSlot: () => Promise<void>
}

async function makeFile(
  site: ChangingSite,
  caller: Caller,
  { upload, last, spool, name, parameters, address, write, releaseSlot }: Making,
): Promise<{ finished: Finished; removals: readonly Removal[] }> {
  const { actor, settings, share } = await uploaderOf(site, caller)
  const spooled = { ...(await assembleFile(site, upload, { last, spool })), name }
  const known = { address, releaseSlot, uploadId: upload.id }
  let done: { finished: Finished; removals: readonly Removal[] } | undefined
  const complete = async (db: SiteDb, fileId: string, finished: Finished) => {
    const now = site.clock.now()
    const answer = await write(db, finished)
    const isDone = await updateToDone(db, last, { fileId, answer, expiresAt: forgottenAt(now) })
    if (!isDone) throw takenOver()
    done = { finished, removals: await dropPieces(db, upload.id, now) }
  }
  const keep = async (db: SiteDb, uploaded: Uploaded) => {
    // A file that is there already counts against no rate limit, as for uploads in one request.
    if (uploaded.isExisting && upload.rateLimitHitId !== undefined)
      await deleteRateLimitHit(db, upload.rateLimitHitId)
    await complete(db, uploaded.file.id, { uploaded, isCollected: share !== undefined })
  }

  const target = parameters.get('replace')
  if (target !== undefined) {
    await replaceContent(site, caller, {
      target: { id: target },
      upload: { ...known, spooled, request: emptyUploadRequest },
      keep: (db, replaced) => complete(db, target, { replaced }),
    })
  } else {
    const sent = { parameters, isThirdPartyFormat: false, seenAlbumId: upload.albumId }
    const read = share ? readCollectedRequest : readUploadRequest
    const made = { ...known, source: spooled, request: await read(site, actor, sent), keep }
    if (share) await collectFile(site, share, { ...made, hasPass: true })
    else await uploadFile(site, actor, { ...made, settings })
  }
  // The file is stored, and the upload was completed with it.
  if (!done) throw new Error('An upload is completed with its file.')
  return done
}
