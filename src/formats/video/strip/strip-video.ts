import type { Bytes } from '../../containers/bytes.ts'
import { type Edit, removal } from '../../containers/edits.ts'
import type { IsoBox } from '../../containers/iso/boxes.ts'
import { withoutTextLocation } from '../../metadata/location/texts.ts'
import { isBlank, zeros } from '../blank-ranges.ts'
import { type BoxTree, overwrite, readTree, rootOf, walkBoxes } from '../boxes/box-tree.ts'
import type { VideoLayout } from '../boxes/layout.ts'
import { offsetAt, offsetTablesOf } from '../boxes/offset-tables.ts'
import { mergeRanges, type Range } from '../boxes/track-samples.ts'
import { readTracks } from '../boxes/tracks.ts'
import { dashcamBlocks } from './dashcam-blocks.ts'
import { dropTracks, textSamples } from './metadata-tracks.ts'
import { type Strip, stripBox } from './user-boxes.ts'

const FREE = Buffer.from('free', 'latin1')

/** The limit for all description boxes outside of the header, which are read into memory. Boxes beyond it are blanked unread. */
const MAX_OUTER_BYTES = 16_777_216

/** The standard top-level boxes of a video. Other boxes are a camera's own and are blanked. */
const STRUCTURE = new Set([
  'ftyp',
  'styp',
  'moov',
  'mdat',
  'imda',
  'moof',
  'mfra',
  'sidx',
  'ssix',
  'pdin',
  'prft',
  'emsg',
  'pssh',
  'wide',
  'meta',
  'udta',
  'uuid',
])
const DESCRIPTIONS = new Set(['meta', 'udta', 'uuid', 'emsg'])

/** Removes metadata from the video header in memory. The returned edits blank samples outside of the header. */
export function stripHeader(source: Bytes, layout: VideoLayout, tree: BoxTree, policy: Strip): Edit[] {
  const moov = rootOf(tree)
  const ranges = [...dropTracks(source, layout, tree, policy), ...dashcamBlocks(source, tree, moov)]
  for (const { box } of walkBoxes(tree, moov)) {
    stripBox(tree, box, policy)
    if (policy === 'strip_all') blankTimes(tree, box)
  }
  const media = layout.boxes.filter(({ type }) => type === 'mdat')
  const merged = mergeRanges(ranges.filter((range) => isInside(range, media)))
  const texts = policy === 'strip_location' ? textSamples(source, layout, tree) : []
  return [
    ...merged.filter(({ start, end }) => !isBlank(source, start, end)).flatMap(zeros),
    ...texts.filter((range) => isInside(range, media)).flatMap((range) => textEdits(source, range)),
  ]
}

function textEdits(source: Bytes, { start, end }: Range): Edit[] {
  const text = Buffer.allocUnsafe(end - start)
  source.readInto(text, start)
  const cleaned = withoutTextLocation(text)
  return cleaned === undefined ? [] : [{ start, end, bytes: cleaned }]
}

/** Edits that remove metadata from the boxes outside of the video header. */
export function stripOuter(source: Bytes, layout: VideoLayout, trees: BoxTree[], policy: Strip): Edit[] {
  const { boxes, isFragmented, tailAt } = layout
  const vendorBoxes = boxes.filter(({ type }) => !STRUCTURE.has(type))
  const tail: IsoBox = { type: '', start: tailAt, dataAt: tailAt, end: source.size }
  const used = usedBoxes([...vendorBoxes, tail], trees)
  let remaining = MAX_OUTER_BYTES
  const edits = boxes.flatMap((box) => {
    if (used.has(box) || isEmptySpace(source, box)) return []
    if (!DESCRIPTIONS.has(box.type)) return STRUCTURE.has(box.type) ? [] : blanked(box)
    remaining -= box.end - box.start
    return remaining < 0 ? blanked(box) : stripOuterBox(source, box, policy)
  })
  const hasTail = tail.start < tail.end && !used.has(tail) && !isFragmented
  return hasTail ? [...edits, removal(tail.start, tail.end)] : edits
}

/** Wrong box sizes can make media look like a vendor's box, so boxes that a track refers to are kept. */
function usedBoxes(boxes: readonly IsoBox[], trees: readonly BoxTree[]): Set<IsoBox> {
  const used = new Set<IsoBox>()
  if (boxes.every(({ start, end }) => start === end)) return used
  for (const tree of trees) {
    for (const table of offsetTablesOf(tree, readTracks(tree, rootOf(tree)))) {
      for (let index = 0; index < table.count; index++) {
        const box = boxAtOffset(boxes, offsetAt(tree, table, index))
        if (box !== undefined) used.add(box)
      }
    }
  }
  return used
}

const isInside = ({ start, end }: Range, boxes: readonly IsoBox[]) => {
  const box = boxAtOffset(boxes, start)
  return box !== undefined && start >= box.dataAt && end <= box.end
}

/** The box that contains the offset, found by binary search. */
function boxAtOffset(boxes: readonly IsoBox[], offset: number): IsoBox | undefined {
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

function stripOuterBox(source: Bytes, box: IsoBox, policy: Strip): Edit[] {
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

/** Zeroes the creation and modification times of the video and its tracks; zero means unknown. */
function blankTimes(tree: BoxTree, { type, dataAt, end }: IsoBox): void {
  if ((type !== 'mvhd' && type !== 'tkhd' && type !== 'mdhd') || end === dataAt) return
  const width = tree.bytes.readUInt8(dataAt) === 1 ? 16 : 8
  if (end - dataAt >= 4 + width) overwrite(tree, dataAt + 4, Buffer.alloc(width))
}
