import type { Bytes } from '../../containers/bytes.ts'
import type { IsoBox } from '../../containers/iso/boxes.ts'
import { type BoxTree, childBoxes } from '../boxes/box-tree.ts'
import type { Range } from '../boxes/track-samples.ts'

const MAX_BLOCKS = 100_000
const HEAD_BYTES = 12

/** Dashboard cameras store positions between the samples: a `gps ` box in the header lists blocks that begin with `freeGPS `. */
export function dashcamBlocks(source: Bytes, tree: BoxTree, moov: IsoBox): Range[] {
  const lists = childBoxes(tree, moov).filter(({ type }) => type === 'gps ')
  return lists.flatMap(({ dataAt, end }) => {
    const blocks: Range[] = []
    for (let at = dataAt + 8; at + 8 <= end && blocks.length < MAX_BLOCKS; at += 8) {
      const start = tree.bytes.readUInt32BE(at)
      const length = tree.bytes.readUInt32BE(at + 4)
      if (isBlock(source, start, length)) blocks.push({ start: start + 8, end: start + length })
    }
    return blocks
  })
}

function isBlock(source: Bytes, start: number, length: number): boolean {
  if (length < HEAD_BYTES || start + length > source.size) return false
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  source.readInto(head, start)
  return head.toString('latin1', 4) === 'freeGPS '
}
