import { createHash } from 'node:crypto'
import { allDone } from '../../lib/concurrency/promises.ts'
import { BucketFault, type PartReceipt, type PutEcho, type Upload } from './bucket.ts'
import { hasStatus, isOutage } from './client.ts'
import { hashPiece } from './hash.ts'
import { type BucketAccess, findObject, isEchoOf, type PendingObject, putObject } from './put.ts'
import { extraMs } from './tuning.ts'

const partsAtOnce = 3

/** Stores a long object by a multipart upload, so that a broken connection costs one part. */
export async function putLarge(access: BucketAccess, object: PendingObject): Promise<void> {
  const { key, piece, metadata } = object
  const { bucket, client } = access
  // Many servers ignore a condition on the completion, so an empty object reserves the key until then.
  const empty = { ...piece, sizeBytes: 0, sha256: await hashPiece(piece.path, 0, 0) }
  await putObject(access, { key, piece: empty, metadata })

  const deadline = client.deadline(extraMs(piece.sizeBytes))
  const id = await client.retry(deadline, () =>
    client.call({ deadline }, (signal) => bucket.beginParts(key, metadata, signal)),
  )
  const upload = { key, id }
  access.sending.add(id)
  try {
    const parts = await putParts(access, object, upload, deadline)
    await complete(access, object, upload, parts, deadline)
  } catch (error) {
    // If this fails, the job that aborts unfinished uploads removes the parts.
    await client.request((signal) => bucket.abortParts(upload, signal)).catch(() => {})
    throw error
  } finally {
    access.sending.delete(id)
  }
}

async function putParts(
  access: BucketAccess,
  { piece }: PendingObject,
  upload: Upload,
  deadline: number,
): Promise<PartReceipt[]> {
  const { path, sizeBytes } = piece
  const { partBytes } = access.tuning
  const count = Math.ceil(sizeBytes / partBytes)
  const receipts: PartReceipt[] = []
  let next = 0
  let isStopped = false

  const putNext = async () => {
    while (next < count && !isStopped) {
      const index = next++
      const start = index * partBytes
      const partSize = Math.min(partBytes, sizeBytes - start)
      const part = { path, start, sizeBytes: partSize, sha256: await hashPiece(path, start, partSize) }
      const limits = { deadline, extraMs: extraMs(partSize) }
      receipts[index] = await access.client.retry(deadline, async () => {
        const receipt = await access.client.call(limits, (signal) =>
          access.bucket.putPart(upload, index + 1, part, signal),
        )
        if (!isOpaque(receipt) && !(await isEchoOf(part, receipt)))
          throw new BucketFault('part', 'NotProven', 502)
        return receipt
      })
    }
  }
  const uploads = Array.from({ length: partsAtOnce }, () =>
    putNext().catch((error) => {
      isStopped = true
      throw error
    }),
  )
  await allDone(uploads)
  return receipts
}

/** Some servers name a part by a tag that is no checksum. Nothing proves such parts before the completed object is read back. */
const isOpaque = ({ etag = '', sha256 }: PutEcho) =>
  sha256 === undefined && etag !== '' && !/^[0-9a-f]{32}$/i.test(etag)

async function complete(
  access: BucketAccess,
  object: PendingObject,
  upload: Upload,
  parts: readonly PartReceipt[],
  deadline: number,
): Promise<void> {
  await access.client.retry(deadline, async () => {
    try {
      const echo = await access.client.call({ deadline }, (signal) =>
        access.bucket.completeParts(upload, parts, signal),
      )
      if (!isEchoOfParts(parts, echo)) throw new BucketFault('complete', 'NotProven', 502)
    } catch (error) {
      // An upload that is unknown to the server may have been completed by the attempt before.
      const isDoubtful = isOutage(error) || hasStatus(error, 404)
      if (isDoubtful && (await findObject(access, object, deadline)) === 'ours') return
      throw error
    }
  })
}

/** Whether the server has said the checksum of the checksums of these parts. */
function isEchoOfParts(parts: readonly PartReceipt[], { etag, sha256 }: PutEcho): boolean {
  const digests = parts.map(({ piece }) => piece.sha256)
  const whole = createHash('sha256').update(Buffer.concat(digests)).digest('base64')
  if (sha256 === `${whole}-${parts.length}`) return true
  const tags = parts.map((part) => Buffer.from(part.etag ?? '', 'hex'))
  const md5 = createHash('md5').update(Buffer.concat(tags)).digest('hex')
  return tags.every((tag) => tag.length === 16) && etag?.toLowerCase() === `${md5}-${parts.length}`
}
