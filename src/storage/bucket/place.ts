import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { keyTaken } from '../errors.ts'
import type { Bucket, Marks, Piece } from './bucket.ts'
import { hashPiece } from './hash.ts'
import { hasStatus, isOutage, type Line } from './line.ts'
import { extraMs, type Tuning } from './tuning.ts'

export interface Ends {
  bucket: Bucket
  line: Line
  tuning: Tuning
}

/** A file on its way to a key, with marks that no other put has: by them we know our own object again. */
export interface Shipment {
  key: string
  piece: Piece
  marks: Marks
}

export async function prepare(key: string, path: string): Promise<Shipment> {
  const { size: sizeBytes } = await stat(path)
  const sha256 = await hashPiece(path, 0, sizeBytes)
  const marks = { put: randomUUID(), sha256: sha256.toString('hex') }
  return { key, piece: { path, start: 0, sizeBytes, sha256 }, marks }
}

/** Stores an object under a key that is free, whatever becomes of the answers. */
export async function place(ends: Ends, shipment: Shipment): Promise<void> {
  const { key, piece, marks } = shipment
  const extra = extraMs(piece.sizeBytes)
  const until = ends.line.until(extra)
  await ends.line.persist(until, async () => {
    try {
      await ends.line.call({ until, extraMs: extra }, (signal) => ends.bucket.put(key, piece, marks, signal))
    } catch (error) {
      // Without an answer the object may be there all the same; a key that is taken may be taken by ourselves.
      const isTaken = hasStatus(error, 412)
      if (!isTaken && !isOutage(error)) throw error
      const found = await lookAt(ends, shipment, until)
      if (found === 'ours') return
      throw isTaken || found === 'another' ? keyTaken() : error
    }
  })
}

/** What stands under the key: our whole object, nothing of use, or what another put has stored. */
export async function lookAt(
  ends: Ends,
  { key, piece, marks }: Shipment,
  until: number,
): Promise<'ours' | 'nothing' | 'another'> {
  const head = await headOf(ends, key, until)
  if (head === undefined) return 'nothing'
  if (head.marks.put !== marks.put) return 'another'
  // Objects of several parts have a sum of sums instead, with a dash in it.
  const isSum = head.sha256 !== undefined && !head.sha256.includes('-')
  const isSound = !isSum || head.sha256 === piece.sha256.toString('base64')
  return isSound && head.sizeBytes === piece.sizeBytes ? 'ours' : 'nothing'
}

/** Takes away what this put has left, and never what another one has stored there meanwhile. */
export async function takeBack(ends: Ends, { key, marks }: Shipment): Promise<void> {
  const { bucket, line } = ends
  const until = line.untilAnswer()
  const head = await headOf(ends, key, until)
  if (head?.marks.put !== marks.put) return
  await line.persist(until, () => line.call({ until }, (signal) => bucket.remove([key], signal)))
}

async function headOf({ bucket, line }: Ends, key: string, until: number) {
  try {
    return await line.call({ until }, (signal) => bucket.head(key, signal))
  } catch (error) {
    if (hasStatus(error, 404)) return undefined
    throw error
  }
}
