import type { Bytes } from '../containers/bytes.ts'
import type { Edit } from '../containers/edits.ts'
import { isZero } from './boxes/box-tree.ts'
import type { Range } from './boxes/track-samples.ts'

const PIECE_BYTES = 1_048_576
const ZEROS = Buffer.alloc(PIECE_BYTES)

export function isBlank(source: Bytes, start: number, end: number): boolean {
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - start))
  for (let at = start; at < end; at += PIECE_BYTES) {
    const part = piece.subarray(0, Math.min(PIECE_BYTES, end - at))
    source.readInto(part, at)
    if (!isZero(part)) return false
  }
  return true
}

/** Edits that fill a range with zeros. All edits share one buffer, however long the range is. */
export function zeros({ start, end }: Range): Edit[] {
  const edits: Edit[] = []
  for (let at = start; at < end; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, end - at)
    edits.push({ start: at, end: at + length, bytes: ZEROS.subarray(0, length) })
  }
  return edits
}
