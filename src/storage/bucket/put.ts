import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { keyTaken } from '../errors.ts'
import type { Bucket, Metadata, Piece } from './bucket.ts'
import { type BucketClient, hasStatus, isOutage } from './client.ts'
import { hashPiece } from './hash.ts'
import { extraMs, type Tuning } from './tuning.ts'

/** What every function here needs of an opened bucket. */
export interface BucketAccess {
  bucket: Bucket
  client: BucketClient
  tuning: Tuning
  /** The ids of the multipart uploads of this process. */
  sending: Set<string>
}

/** A file that is being put under a key. Its metadata has a random id, by which this put recognises its own object. */
export interface PendingObject {
  key: string
  piece: Piece
  metadata: Metadata
}

export async function prepareObject(key: string, path: string): Promise<PendingObject> {
  const { size: sizeBytes } = await stat(path)
  const sha256 = await hashPiece(path, 0, sizeBytes)
  const metadata = { put: randomUUID(), sha256: sha256.toString('hex') }
  return { key, piece: { path, start: 0, sizeBytes, sha256 }, metadata }
}

/** Stores an object under a free key, even if responses are lost. */
export async function putObject(access: BucketAccess, object: PendingObject): Promise<void> {
  const { key, piece, metadata } = object
  const extra = extraMs(piece.sizeBytes)
  const deadline = access.client.deadline(extra)
  await access.client.retry(deadline, async () => {
    try {
      await access.client.call({ deadline, extraMs: extra }, (signal) =>
        access.bucket.put(key, piece, metadata, signal),
      )
    } catch (error) {
      // Without a response the object may still be stored; a taken key may be taken by an earlier attempt of this put.
      const isTaken = hasStatus(error, 412)
      if (!isTaken && !isOutage(error)) throw error
      const found = await findObject(access, object, deadline)
      if (found === 'ours') return
      throw isTaken || found === 'another' ? keyTaken() : error
    }
  })
}

/** What is stored under the key: this put's complete object, nothing complete, or another put's object. */
export async function findObject(
  access: BucketAccess,
  { key, piece, metadata }: PendingObject,
  deadline: number,
): Promise<'ours' | 'nothing' | 'another'> {
  const head = await headOf(access, key, deadline)
  if (head === undefined) return 'nothing'
  if (head.metadata.put !== metadata.put) return 'another'
  // Multipart objects have a checksum of checksums instead, which contains a dash.
  const isChecksum = head.sha256 !== undefined && !head.sha256.includes('-')
  const isSound = !isChecksum || head.sha256 === piece.sha256.toString('base64')
  return isSound && head.sizeBytes === piece.sizeBytes ? 'ours' : 'nothing'
}

/** Removes this put's object, but never one that another put has stored meanwhile. */
export async function removeOwnObject(access: BucketAccess, { key, metadata }: PendingObject): Promise<void> {
  const { bucket, client } = access
  const deadline = client.cleanupDeadline()
  const head = await headOf(access, key, deadline)
  if (head?.metadata.put !== metadata.put) return
  await client.retry(deadline, () => client.call({ deadline }, (signal) => bucket.remove([key], signal)))
}

async function headOf({ bucket, client }: BucketAccess, key: string, deadline: number) {
  try {
    return await client.call({ deadline }, (signal) => bucket.head(key, signal))
  } catch (error) {
    if (hasStatus(error, 404)) return undefined
    throw error
  }
}
