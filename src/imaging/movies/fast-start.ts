import type { Bytes } from '../containers/bytes.ts'
import { type Edit, removal } from '../containers/edits.ts'
import type { IsoBox } from '../containers/iso-boxes.ts'
import { type BoxTree, listBoxes, rootOf } from './box-tree.ts'
import type { MovieLayout } from './movie-layout.ts'
import { offsetAt, offsetTablesOf, setOffset } from './offset-tables.ts'
import { readTracks, type Track } from './tracks.ts'
import { growthOf, widenOffsets } from './wide-offsets.ts'

const MOST_IN_FOUR_BYTES = 0xffff_ffff

/** Boxes that tell places in the file in ways that are not followed here. */
const TELLS_PLACES = new Set(['moof', 'sidx', 'ssix', 'mfra'])
const MAX_META_BYTES = 16_777_216

export const needsMove = ({ header, firstMedia }: MovieLayout) => header.start > firstMedia

/** Puts the movie header before the media; undefined where not every place it tells could be kept right. */
export function moveToFront(bytes: Bytes, layout: MovieLayout, tree: BoxTree): Edit[] | undefined {
  const movie = rootOf(tree)
  const tracks = readTracks(tree, movie)
  if (!isMovable(bytes, layout, tree, tracks)) return undefined
  const { header } = layout
  const insertAt = placeForHeader(layout)
  const tables = offsetTablesOf(tree, tracks)
  const longest = bytes.size + growthOf(tables)
  const wide = longest > MOST_IN_FOUR_BYTES ? widenOffsets(tree, movie) : tree
  const grown = wide.bytes.length - tree.bytes.length
  const isMoved = shiftOffsets(wide, (offset) => {
    if (offset < insertAt) return offset
    if (offset < header.start) return offset + wide.bytes.length
    if (offset >= header.end) return offset + grown
    // What encryption needs stands in the header itself, which must then go as it is.
    return grown === 0 ? offset - header.start + insertAt : undefined
  })
  if (!isMoved) return undefined
  // Zero means up to the end of the file, which is no longer its own.
  if (wide.bytes.readUInt32BE(0) === 0) wide.bytes.writeUInt32BE(wide.bytes.length, 0)
  return [{ start: insertAt, end: insertAt, bytes: wide.bytes }, removal(header.start, header.end)]
}

function isMovable(bytes: Bytes, { boxes }: MovieLayout, tree: BoxTree, tracks: readonly Track[]): boolean {
  const isPlain = boxes.every(
    (box) => !TELLS_PLACES.has(box.type) && !(box.type === 'meta' && hasItems(bytes, box)),
  )
  const headers = boxes.filter(({ type }) => type === 'moov')
  // Items and compressed headers; bytes that only look like these names cost no more than the move.
  const isReadable = ['iloc', 'cmov', 'rmra', 'gps '].every((type) => !tree.bytes.includes(type, 0, 'latin1'))
  return isPlain && isReadable && headers.length === 1 && tracks.every((track) => isInFile(tree, track))
}

const hasItems = (bytes: Bytes, { start, end }: IsoBox) =>
  end - start > MAX_META_BYTES || bytes.read(start, end - start).includes('iloc', 0, 'latin1')

/** Its samples lie in this file and no other. */
function isInFile(tree: BoxTree, { parts }: Track): boolean {
  const references = (parts.get('dref') ?? []).flatMap(({ dataAt, end }) => listBoxes(tree, dataAt + 8, end))
  return references.every(
    (box) =>
      box !== undefined && box.end - box.dataAt >= 4 && (tree.bytes.readUInt8(box.dataAt + 3) & 1) === 1,
  )
}

function placeForHeader({ boxes, firstMedia }: MovieLayout): number {
  return boxes.find(({ type, start }) => type === 'ftyp' && start < firstMedia)?.end ?? 0
}

/** Changes all or none. */
function shiftOffsets(tree: BoxTree, shift: (offset: number) => number | undefined): boolean {
  const tables = offsetTablesOf(tree, readTracks(tree, rootOf(tree)))
  for (const table of tables) {
    const most = table.width === 4 ? MOST_IN_FOUR_BYTES : Number.MAX_SAFE_INTEGER
    for (let index = 0; index < table.count; index++) {
      const offset = shift(offsetAt(tree, table, index))
      if (offset === undefined || offset > most) return false
    }
  }
  for (const table of tables) {
    for (let index = 0; index < table.count; index++) {
      setOffset(tree, table, index, shift(offsetAt(tree, table, index)) ?? 0)
    }
  }
  return true
}
