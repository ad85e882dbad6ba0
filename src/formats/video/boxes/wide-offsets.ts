import { type Edit, editBuffer } from '../../containers/edits.ts'
import type { IsoBox } from '../../containers/iso/boxes.ts'
import { type BoxTree, walkBoxes } from './box-tree.ts'
import type { OffsetTable } from './offset-tables.ts'

/** The video header with offsets of eight bytes (co64) instead of four (stco). */
export function widenOffsets(tree: BoxTree, moov: IsoBox): BoxTree {
  const edits: Edit[] = []
  const growth = new Map<IsoBox, number>()
  for (const { box, path } of walkBoxes(tree, moov)) {
    if (box.type !== 'stco' || !isInTrack(path)) continue
    const wide = widened(tree.bytes, box)
    const grown = wide.length - (box.end - box.start)
    edits.push({ start: box.start, end: box.end, bytes: wide })
    for (const parent of path) growth.set(parent, (growth.get(parent) ?? 0) + grown)
  }
  for (const [box, grown] of growth) edits.push(resized(box, box.end - box.start + grown))
  const inOrder = edits.sort((one, other) => one.start - other.start)
  return { ...tree, bytes: editBuffer(tree.bytes, inOrder), isChanged: true }
}

/** The most bytes by which the header grows. */
export function growthOf(tables: readonly OffsetTable[]): number {
  return tables.reduce((sum, { box, count }) => sum + (box.type === 'stco' ? 4 * count + 8 : 0), 0)
}

const isInTrack = (path: readonly IsoBox[]) => path.length > 1 && path[1]?.type === 'trak'

function widened(bytes: Buffer, { dataAt }: IsoBox): Buffer {
  const count = bytes.readUInt32BE(dataAt + 4)
  const wide = Buffer.alloc(16 + count * 8)
  wide.writeUInt32BE(wide.length, 0)
  wide.write('co64', 4, 'latin1')
  wide.writeUInt32BE(count, 12)
  for (let index = 0; index < count; index++) {
    wide.writeUInt32BE(bytes.readUInt32BE(dataAt + 8 + index * 4), 16 + index * 8 + 4)
  }
  return wide
}

function resized({ start, dataAt }: IsoBox, length: number): Edit {
  const isLong = dataAt - start === 16
  const bytes = Buffer.alloc(isLong ? 8 : 4)
  if (isLong) bytes.writeBigUInt64BE(BigInt(length))
  else bytes.writeUInt32BE(length)
  const at = isLong ? start + 8 : start
  return { start: at, end: at + bytes.length, bytes }
}
