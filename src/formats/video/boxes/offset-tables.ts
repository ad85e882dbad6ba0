import type { IsoBox } from '../../containers/iso/boxes.ts'
import { notDecodable } from '../../errors.ts'
import type { BoxTree } from './box-tree.ts'
import type { Track } from './tracks.ts'

/** A list of file offsets in a box. */
export interface OffsetTable {
  box: IsoBox
  at: number
  count: number
  width: 4 | 8
}

/** The offsets of sample chunks (stco, co64) and of encryption data (saio). */
export function offsetTablesOf(tree: BoxTree, tracks: readonly Track[]): OffsetTable[] {
  const boxes = tracks.flatMap(({ parts }) =>
    ['stco', 'co64', 'saio'].flatMap((type) => parts.get(type) ?? []),
  )
  return boxes.map((box) => readTable(tree.bytes, box))
}

export function chunkTableOf(tree: BoxTree, track: Track): OffsetTable | undefined {
  const box = track.parts.get('stco')?.[0] ?? track.parts.get('co64')?.[0]
  return box && readTable(tree.bytes, box)
}

export function offsetAt({ bytes }: BoxTree, { at, width }: OffsetTable, index: number): number {
  return width === 4 ? bytes.readUInt32BE(at + index * 4) : Number(bytes.readBigUInt64BE(at + index * 8))
}

export function setOffset({ bytes }: BoxTree, { at, width }: OffsetTable, index: number, offset: number) {
  if (width === 4) bytes.writeUInt32BE(offset, at + index * 4)
  else bytes.writeBigUInt64BE(BigInt(offset), at + index * 8)
}

function readTable(bytes: Buffer, box: IsoBox): OffsetTable {
  const { type, dataAt, end } = box
  const isAuxiliary = type === 'saio'
  const hasKind = isAuxiliary && end - dataAt >= 4 && (bytes.readUInt8(dataAt + 3) & 1) === 1
  const countAt = dataAt + 4 + (hasKind ? 8 : 0)
  if (countAt + 4 > end) throw notDecodable(`${type} is truncated`)
  const width = type === 'co64' || (isAuxiliary && bytes.readUInt8(dataAt) > 0) ? 8 : 4
  const count = bytes.readUInt32BE(countAt)
  if (countAt + 4 + count * width > end) throw notDecodable(`${type} has fewer than its ${count} offsets`)
  return { box, at: countAt + 4, count, width }
}
