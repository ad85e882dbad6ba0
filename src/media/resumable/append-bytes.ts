import { createHash, type Hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import type { ChangingSite } from '../../site/index.ts'
import {
  beingFinished,
  checksumDiffers,
  checksummedTooLong,
  longerThanUpload,
  otherOffset,
  takenOver,
  uploadEnded,
} from '../errors.ts'
import { type PieceSpool, type ReceiveBytes, receivePieces, type SpooledPiece } from './receive-pieces.ts'
import {
  findUpload,
  type HeldUpload,
  type ResumableUpload,
  raiseOffset,
  updateReceiving,
  updateToken,
} from './resumable-uploads-table.ts'
import { insertPieces, keyOfPiece } from './upload-pieces-table.ts'
import {
  expiresAfterBytes,
  finishPatienceMs,
  finishPauseMs,
  leaseMs,
  receivingRenewalMs,
  receivingUntil,
} from './upload-times.ts'

/** Names that `node:crypto` knows too. */
export const checksumAlgorithms = ['sha1', 'sha256', 'md5'] as const

export interface Checksum {
  algorithm: (typeof checksumAlgorithms)[number]
  digest: Buffer
}

/** A body with a checksum is kept as a whole or not at all, so it is spooled until its end. */
const mostChecksummedBytes = 64 * 1_048_576

export interface AppendedBytes {
  /** How many bytes the client believes to be stored. */
  offsetBytes: number
  /** Of the body; undefined if it does not announce its length. */
  announcedBytes: number | undefined
  checksum: Checksum | undefined
  spool: PieceSpool
  receive: ReceiveBytes
}

export interface Appended {
  offsetBytes: number
  /** When the upload ends if no more bytes come. */
  expiresAt: Date
  /** The end of the upload, which is stored with its file. */
  last: (SpooledPiece & HeldUpload) | undefined
}

/**
 * Takes an upload over for one request: from then on no other request, though it may still send, can raise the offset. While a
 * server makes the file, the request waits: for the file, for the end of the lease, or, since clocks of servers may differ, until
 * the lease was not renewed for as long as it lasts.
 */
export async function takeUploadOver(
  site: ChangingSite,
  { id }: ResumableUpload,
  offsetBytes: number,
  signal: AbortSignal,
): Promise<HeldUpload> {
  const held = { id, token: randomId() }
  let lease: { until: Date; seenMs: number } | undefined
  for (const endMs = performance.now() + finishPatienceMs; ; await sleep(finishPauseMs)) {
    const now = site.clock.now()
    const deadLease = lease && performance.now() - lease.seenMs >= leaseMs ? lease.until : undefined
    const taking = { ...held, offsetBytes, now, leasedUntil: receivingUntil(now), deadLease }
    if (await updateToken(site.db, taking)) return held
    const current = await findUpload(site.db, id)
    if (!current || current.state === 'ended' || current.expiresAt <= now) throw uploadEnded()
    if (current.state !== 'finishing') throw otherOffset(current.offsetBytes, offsetBytes)
    if (signal.aborted || performance.now() >= endMs) throw beingFinished()
    const { leasedUntil = now } = current
    if (leasedUntil.getTime() !== lease?.until.getTime())
      lease = { until: leasedUntil, seenMs: performance.now() }
  }
}

/** Whether a server has got the last bytes and makes the file. */
export const isBeingFinished = ({ state, leasedUntil }: ResumableUpload, now: Date): boolean =>
  state === 'finishing' && leasedUntil !== undefined && leasedUntil > now

/** Stores the bytes of a request, piece by piece; each is durable before the offset says so. */
export async function appendBytes(
  site: ChangingSite,
  upload: ResumableUpload,
  held: HeldUpload,
  { offsetBytes, announcedBytes = 0, checksum, spool, receive }: AppendedBytes,
): Promise<Appended> {
  await using _receiving = receiving(site, held)
  const { lengthBytes } = upload
  if (offsetBytes + announcedBytes > lengthBytes) throw longerThanUpload(lengthBytes)
  if (checksum && announcedBytes > mostChecksummedBytes) throw checksummedTooLong(mostChecksummedBytes)
  const store = (pieces: readonly SpooledPiece[]) => storePieces(site, upload, held, pieces)
  const unchecked: SpooledPiece[] = []
  const hash = checksum && createHash(checksum.algorithm)
  const received = await receivePieces({
    offsetBytes,
    lengthBytes,
    spool,
    receive: hash ? (take) => receive(hashing(hash, take)) : receive,
    onPiece: async (piece) => {
      if (hash) unchecked.push(piece)
      else await store([piece])
    },
  })
  const { last, brokenBy } = received
  if (checksum && hash) {
    if (brokenBy) throw brokenBy
    if (!hash.digest().equals(checksum.digest)) throw checksumDiffers(checksum.algorithm)
    if (unchecked.length > 0) await store(unchecked)
  }
  // The bytes are all there: the file can be made, though its sender has left.
  if (brokenBy && !last) throw brokenBy
  const isRaised = received.offsetBytes > offsetBytes
  return {
    offsetBytes: received.offsetBytes,
    expiresAt: isRaised ? expiresAfterBytes(upload.createdAt, site.clock.now()) : upload.expiresAt,
    last: last && { ...last, ...held },
  }
}

/** While a request sends, its upload does not give way to another one. */
function receiving(site: ChangingSite, held: HeldUpload): AsyncDisposable {
  const update = (leasedUntil: Date | undefined) =>
    updateReceiving(site.db, held, { now: site.clock.now(), leasedUntil }).catch(() => undefined)
  const timer = setInterval(() => void update(receivingUntil(site.clock.now())), receivingRenewalMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await update(undefined)
    },
  }
}

type Take = Parameters<ReceiveBytes>[0]

function hashing(hash: Hash, take: Take): Take {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    if (bytes > mostChecksummedBytes) throw checksummedTooLong(mostChecksummedBytes)
    hash.update(chunk)
    return take(chunk)
  }
}

/** Puts the bytes first, then raises the offset: a power cut between the two leaves an orphan that no row names. */
async function storePieces(
  site: ChangingSite,
  { id, createdAt }: ResumableUpload,
  held: HeldUpload,
  spooled: readonly SpooledPiece[],
): Promise<void> {
  const pieces = spooled.map(({ offsetBytes, sizeBytes, sha256 = null }) => {
    return { uploadId: id, offsetBytes, sizeBytes, token: held.token, sha256 }
  })
  const puts = pieces.map((piece, index) => ({ key: keyOfPiece(piece), path: spooled[index]?.path ?? '' }))
  await site.storage.put(puts)
  const from = pieces[0]?.offsetBytes ?? 0
  const to = pieces.reduce((end, { sizeBytes }) => end + sizeBytes, from)
  const expiresAt = expiresAfterBytes(createdAt, site.clock.now())
  // If the commit's answer is lost, the bytes stay: the row may name them.
  const isRaised = await inTransaction(site.db, async (db) => {
    if (!(await raiseOffset(db, held, { from, to, expiresAt }))) return false
    await insertPieces(db, pieces)
    return true
  })
  if (isRaised) return
  await site.storage.remove(puts.map(({ key }) => key)).catch(() => undefined)
  const current = await findUpload(site.db, id)
  throw current?.state === 'ended' || !current ? uploadEnded() : takenOver()
}
