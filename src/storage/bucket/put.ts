import { createHash, randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { keyTaken } from '../errors.ts'
import { type Bucket, BucketFault, type Metadata, type Piece, type PutEcho } from './bucket.ts'
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

/** Stores an object under a free key, even if responses are lost or are not those of S3. */
export async function putObject(access: BucketAccess, object: PendingObject): Promise<void> {
  const { key, piece, metadata } = object
  const extra = extraMs(piece.sizeBytes)
  const deadline = access.client.deadline(extra)
  await access.client.retry(deadline, async () => {
    try {
      const echo = await access.client.call({ deadline, extraMs: extra }, (signal) =>
        access.bucket.put(key, piece, metadata, { signal }),
      )
      if (!(await isEchoOf(piece, echo))) throw new BucketFault('put', 'NotProven', 502)
    } catch (error) {
      // Without a proof the object may still be stored; a taken key may be taken by an earlier attempt of this put.
      const isTaken = hasStatus(error, 412)
      if (!isTaken && !isOutage(error)) throw error
      const found = await findObject(access, object, deadline)
      if (found === 'ours') return
      if (found === 'broken') {
        await removeOwnObject(access, object)
        throw new BucketFault('put', 'NotProven', 502)
      }
      throw isTaken || found === 'another' ? keyTaken() : error
    }
  })
}

/** Whether a server has said the checksum of these bytes. Some servers know only ETags, which are then their MD5. */
export async function isEchoOf(piece: Piece, { sha256, etag }: PutEcho): Promise<boolean> {
  if (sha256 !== undefined && !isOfParts(sha256)) return sha256 === piece.sha256.toString('base64')
  if (etag === undefined || !/^[0-9a-f]{32}$/i.test(etag)) return false
  const md5 = await hashPiece(piece.path, piece.start, piece.sizeBytes, 'md5')
  return etag.toLowerCase() === md5.toString('hex')
}

/** Objects that were put in parts have a checksum of checksums, which ends with a dash and their number. */
const isOfParts = (checksum: string) => checksum.includes('-')

/** What is stored under the key: this put's object, the same with other bytes than were sent, nothing, or another put's object. */
export async function findObject(
  access: BucketAccess,
  object: PendingObject,
  deadline: number,
): Promise<'ours' | 'broken' | 'nothing' | 'another'> {
  const { key, piece, metadata } = object
  const head = await headOf(access, key, deadline)
  // Every object of ours has this mark; a page of a balancer has none.
  if (head?.metadata.put === undefined) return 'nothing'
  if (head.metadata.put !== metadata.put) return 'another'
  if (head.sizeBytes !== piece.sizeBytes) return 'broken'
  const isProven = (await isEchoOf(piece, head)) || (await isReadBack(access, object, deadline))
  return isProven ? 'ours' : 'broken'
}

/** The last resort, for servers that say no checksum. */
async function isReadBack(
  { bucket, client }: BucketAccess,
  { key, piece }: PendingObject,
  deadline: number,
): Promise<boolean> {
  const sha256 = createHash('sha256')
  try {
    const limits = { deadline, extraMs: extraMs(piece.sizeBytes) }
    const { content } = await client.call(limits, (signal) => bucket.get(key, undefined, signal))
    for await (const chunk of content) sha256.update(chunk)
  } catch (error) {
    if (error instanceof BucketFault && !isOutage(error) && !hasStatus(error, 404)) throw error
    return false
  }
  return sha256.digest().equals(piece.sha256)
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
