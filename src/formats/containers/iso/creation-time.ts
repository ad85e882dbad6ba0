import type { Bytes } from '../bytes.ts'
import { boxesIn, childrenOf, findBox } from './boxes.ts'

/** Times are seconds since then. */
const EPOCH = Date.UTC(1904, 0, 1)

/** The creation time in the header of an MP4 or QuickTime video. */
export function creationOfVideo(bytes: Bytes): Date | undefined {
  const moov = findBox(boxesIn(bytes, 0, bytes.size), 'moov')
  const head = moov && findBox(childrenOf(bytes, moov), 'mvhd')
  if (head === undefined || head.end - head.dataAt < 12) return undefined
  const data = bytes.read(head.dataAt, 12)
  const seconds = data.readUInt8(0) === 1 ? Number(data.readBigUInt64BE(4)) : data.readUInt32BE(4)
  return new Date(EPOCH + seconds * 1_000)
}
