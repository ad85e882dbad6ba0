import type { Bytes } from '../containers/bytes.ts'
import { type Edit, removal } from '../containers/edits.ts'
import type { IsoBox } from '../containers/iso-boxes.ts'
import { isBlank, zeros } from './blank-ranges.ts'
import { type BoxTree, overwrite, readTree, rootOf, walkBoxes } from './box-tree.ts'
import { dashcamBlocks } from './dashcam-blocks.ts'
import { dropTracks } from './metadata-tracks.ts'
import type { MovieLayout } from './movie-layout.ts'
import { offsetAt, offsetTablesOf } from './offset-tables.ts'
import { mergeRanges, type Range } from './track-samples.ts'
import { readTracks } from './tracks.ts'
import { type Strip, stripBox } from './user-boxes.ts'

const FREE = Buffer.from('free', 'latin1')

/** Of all descriptions beside the header together, as they are held in memory; more of them are blanked unread. */
const MAX_OUTER_BYTES = 16_777_216

/** What a movie file is made of. Other boxes between these are of a camera's own making. */
const STRUCTURE = new Set([
  ...['ftyp', 'styp', 'moov', 'mdat', 'imda', 'moof', 'mfra', 'sidx', 'ssix'],
  ...['pdin', 'prft', 'emsg', 'pssh', 'wide', 'meta', 'udta', 'uuid'],
])
const DESCRIPTIONS = new Set(['meta', 'udta', 'uuid'])

/** Takes metadata out of the movie header, where it stands in memory; the edits are for samples that lie elsewhere. */
export function stripHeader(source: Bytes, layout: MovieLayout, tree: BoxTree, policy: Strip): Edit[] {
  const movie = rootOf(tree)
  const ranges = [...dropTracks(source, layout, tree, policy), ...dashcamBlocks(source, tree, movie)]
  for (const { box } of walkBoxes(tree, movie)) {
    stripBox(tree, box, policy)
    if (policy === 'strip_all') blankTimes(tree, box)
  }
  const media = layout.boxes.filter(({ type }) => type === 'mdat')
  const merged = mergeRanges(ranges.filter((range) => isInside(range, media)))
  return merged.filter(({ start, end }) => !isBlank(source, start, end)).flatMap(zeros)
}

/** Edits that take metadata out of what stands beside the movie header. */
export function stripOuter(source: Bytes, layout: MovieLayout, trees: BoxTree[], policy: Strip): Edit[] {
  const { boxes, isFragmented, tailAt } = layout
  const suspects = boxes.filter(({ type }) => !STRUCTURE.has(type))
  const tail: IsoBox = { type: '', start: tailAt, dataAt: tailAt, end: source.size }
  const used = usedBoxes([...suspects, tail], trees)
  let left = MAX_OUTER_BYTES
  const edits = boxes.flatMap((box) => {
    if (used.has(box) || isEmptySpace(source, box)) return []
    if (!DESCRIPTIONS.has(box.type)) return STRUCTURE.has(box.type) ? [] : blanked(box)
    left -= box.end - box.start
    return left < 0 ? blanked(box) : stripLoose(source, box, policy)
  })
  const hasTail = tail.start < tail.end && !used.has(tail) && !isFragmented
  return hasTail ? [...edits, removal(tail.start, tail.end)] : edits
}

/** Sizes that lie can make media look like something else; what a track refers to stays. */
function usedBoxes(boxes: readonly IsoBox[], trees: readonly BoxTree[]): Set<IsoBox> {
  const used = new Set<IsoBox>()
  if (boxes.every(({ start, end }) => start === end)) return used
  for (const tree of trees) {
    for (const table of offsetTablesOf(tree, readTracks(tree, rootOf(tree)))) {
      for (let index = 0; index < table.count; index++) {
        const box = holderOf(boxes, offsetAt(tree, table, index))
        if (box !== undefined) used.add(box)
      }
    }
  }
  return used
}

const isInside = ({ start, end }: Range, boxes: readonly IsoBox[]) => {
  const box = holderOf(boxes, start)
  return box !== undefined && start >= box.dataAt && end <= box.end
}

/** The one that a place lies in; they are in order. */
function holderOf(boxes: readonly IsoBox[], offset: number): IsoBox | undefined {
  let low = 0
  let high = boxes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((boxes[middle]?.end ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  const box = boxes[low]
  return box !== undefined && box.start <= offset ? box : undefined
}

function stripLoose(source: Bytes, box: IsoBox, policy: Strip): Edit[] {
  const tree = readTree(source, box)
  stripBox(tree, rootOf(tree), policy)
  return tree.isChanged ? [{ start: box.start, end: box.end, bytes: tree.bytes }] : []
}

const isEmptySpace = (source: Bytes, { type, dataAt, end }: IsoBox) =>
  (type === 'free' || type === 'skip') && isBlank(source, dataAt, end)

function blanked({ type, start, dataAt, end }: IsoBox): Edit[] {
  const name = { start: start + 4, end: start + 8, bytes: FREE }
  return type === 'free' ? zeros({ start: dataAt, end }) : [name, ...zeros({ start: dataAt, end })]
}

/** When the movie and its tracks were made and changed; zero is how to say that nobody knows. */
function blankTimes(tree: BoxTree, { type, dataAt, end }: IsoBox): void {
  if ((type !== 'mvhd' && type !== 'tkhd' && type !== 'mdhd') || end === dataAt) return
  const width = tree.bytes.readUInt8(dataAt) === 1 ? 16 : 8
  if (end - dataAt >= 4 + width) overwrite(tree, dataAt + 4, Buffer.alloc(width))
}
