import type { Bytes } from './bytes.ts'
import { boxesIn, childrenOf, findBox } from './iso-boxes.ts'

/** Times count seconds from here. */
const EPOCH = Date.UTC(1904, 0, 1)

/** When a film of the ISO family or QuickTime says it was made. */
export function creationOfMovie(bytes: Bytes): Date | undefined {
  const movie = findBox(boxesIn(bytes, 0, bytes.size), 'moov')
  const head = movie && findBox(childrenOf(bytes, movie), 'mvhd')
  if (head === undefined || head.end - head.dataAt < 12) return undefined
  const data = bytes.read(head.dataAt, 12)
  const seconds = data.readUInt8(0) === 1 ? Number(data.readBigUInt64BE(4)) : data.readUInt32BE(4)
  return new Date(EPOCH + seconds * 1_000)
}
