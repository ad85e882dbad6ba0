import { allDone } from '../../lib/all-done.ts'
import type { PartReceipt, Upload } from './bucket.ts'
import { hashPiece } from './hash.ts'
import { hasStatus, isOutage } from './line.ts'
import { type Ends, lookAt, place, type Shipment } from './place.ts'
import { extraMs } from './tuning.ts'

const partsAtOnce = 3

/** Stores a long object in parts, so that a broken line costs one of them. */
export async function placeLarge(ends: Ends, shipment: Shipment): Promise<void> {
  const { key, piece, marks } = shipment
  const { bucket, line } = ends
  // Many servers ignore a condition on the completion, so that an empty object of ours holds the key until then.
  const empty = { ...piece, sizeBytes: 0, sha256: await hashPiece(piece.path, 0, 0) }
  await place(ends, { key, piece: empty, marks })

  const until = line.until(extraMs(piece.sizeBytes))
  const id = await line.persist(until, () =>
    line.call({ until }, (signal) => bucket.beginParts(key, marks, signal)),
  )
  const upload = { key, id }
  try {
    const parts = await putParts(ends, shipment, upload, until)
    await complete(ends, shipment, upload, parts, until)
  } catch (error) {
    // Parts that stay are taken away with all that is unfinished.
    await line.ask((signal) => bucket.abortParts(upload, signal)).catch(() => {})
    throw error
  }
}

async function putParts(
  ends: Ends,
  { piece }: Shipment,
  upload: Upload,
  until: number,
): Promise<PartReceipt[]> {
  const { path, sizeBytes } = piece
  const { partBytes } = ends.tuning
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
      const limits = { until, extraMs: extraMs(partSize) }
      receipts[index] = await ends.line.persist(until, () =>
        ends.line.call(limits, (signal) => ends.bucket.putPart(upload, index + 1, part, signal)),
      )
    }
  }
  const lanes = Array.from({ length: partsAtOnce }, () =>
    putNext().catch((error) => {
      isStopped = true
      throw error
    }),
  )
  await allDone(lanes)
  return receipts
}

async function complete(
  ends: Ends,
  shipment: Shipment,
  upload: Upload,
  parts: readonly PartReceipt[],
  until: number,
): Promise<void> {
  await ends.line.persist(until, async () => {
    try {
      await ends.line.call({ until }, (signal) => ends.bucket.completeParts(upload, parts, signal))
    } catch (error) {
      // An upload that is not known any more may have been completed by the try before.
      const isDoubtful = isOutage(error) || hasStatus(error, 404)
      if (isDoubtful && (await lookAt(ends, shipment, until)) === 'ours') return
      throw error
    }
  })
}
