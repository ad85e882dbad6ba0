import type { Bytes } from '../containers/bytes.ts'
import { type Edit, removal } from '../containers/edits.ts'
import type { IsoBox } from '../containers/iso/boxes.ts'
import { type BoxTree, listBoxes, rootOf } from './boxes/box-tree.ts'
import type { VideoLayout } from './boxes/layout.ts'
import { offsetAt, offsetTablesOf, setOffset } from './boxes/offset-tables.ts'
import { readTracks, type Track } from './boxes/tracks.ts'
import { growthOf, widenOffsets } from './boxes/wide-offsets.ts'

const MAX_UINT32 = 0xffff_ffff

/** Boxes with file offsets that are not adjusted here. */
const HAS_OFFSETS = new Set(['moof', 'sidx', 'ssix', 'mfra'])
const MAX_META_BYTES = 16_777_216

export const needsMove = ({ header, firstMedia }: VideoLayout) => header.start > firstMedia

/** Moves the video header before the media; undefined if not every offset could be adjusted. */
export function moveToFront(bytes: Bytes, layout: VideoLayout, tree: BoxTree): Edit[] | undefined {
  const moov = rootOf(tree)
  const tracks = readTracks(tree, moov)
  if (!isMovable(bytes, layout, tree, tracks)) return undefined
  const { header } = layout
  const insertAt = insertOffset(layout)
  const tables = offsetTablesOf(tree, tracks)
  const longest = bytes.size + growthOf(tables)
  const wide = longest > MAX_UINT32 ? widenOffsets(tree, moov) : tree
  const grown = wide.bytes.length - tree.bytes.length
  const isAdjusted = adjustOffsets(wide, (offset) => {
    if (offset < insertAt) return offset
    if (offset < header.start) return offset + wide.bytes.length
    if (offset >= header.end) return offset + grown
    // Encryption data is in the header itself, so its offset is known only if the header keeps its length.
    return grown === 0 ? offset - header.start + insertAt : undefined
  })
  if (!isAdjusted) return undefined
  // A size of 0 means up to the end of the file, where the header no longer is.
  if (wide.bytes.readUInt32BE(0) === 0) wide.bytes.writeUInt32BE(wide.bytes.length, 0)
  return [{ start: insertAt, end: insertAt, bytes: wide.bytes }, removal(header.start, header.end)]
}

function isMovable(bytes: Bytes, { boxes }: VideoLayout, tree: BoxTree, tracks: readonly Track[]): boolean {
  const isPlain = boxes.every(
    (box) => !HAS_OFFSETS.has(box.type) && !(box.type === 'meta' && hasItems(bytes, box)),
  )
  const headers = boxes.filter(({ type }) => type === 'moov')
  // Items and compressed headers are not supported. If other bytes happen to match these names, only the move is omitted.
  const isReadable = ['iloc', 'cmov', 'rmra', 'gps '].every((type) => !tree.bytes.includes(type, 0, 'latin1'))
  return isPlain && isReadable && headers.length === 1 && tracks.every((track) => isInFile(tree, track))
}

const hasItems = (bytes: Bytes, { start, end }: IsoBox) =>
  end - start > MAX_META_BYTES || bytes.read(start, end - start).includes('iloc', 0, 'latin1')

/** True if all samples are in this file. */
function isInFile(tree: BoxTree, { parts }: Track): boolean {
  const references = (parts.get('dref') ?? []).flatMap(({ dataAt, end }) => listBoxes(tree, dataAt + 8, end))
  return references.every(
    (box) =>
      box !== undefined && box.end - box.dataAt >= 4 && (tree.bytes.readUInt8(box.dataAt + 3) & 1) === 1,
  )
}

/** After `ftyp`, if the file has one before its media. */
function insertOffset({ boxes, firstMedia }: VideoLayout): number {
  return boxes.find(({ type, start }) => type === 'ftyp' && start < firstMedia)?.end ?? 0
}

/** Adjusts all offsets or none. */
function adjustOffsets(tree: BoxTree, adjust: (offset: number) => number | undefined): boolean {
  const tables = offsetTablesOf(tree, readTracks(tree, rootOf(tree)))
  for (const table of tables) {
    const largest = table.width === 4 ? MAX_UINT32 : Number.MAX_SAFE_INTEGER
    for (let index = 0; index < table.count; index++) {
      const offset = adjust(offsetAt(tree, table, index))
      if (offset === undefined || offset > largest) return false
    }
  }
  for (const table of tables) {
    for (let index = 0; index < table.count; index++) {
      setOffset(tree, table, index, adjust(offsetAt(tree, table, index)) ?? 0)
    }
  }
  return true
}
