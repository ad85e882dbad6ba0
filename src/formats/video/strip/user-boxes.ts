import type { IsoBox } from '../../containers/iso/boxes.ts'
import { mentionsLocation } from '../../metadata/location/video-fields.ts'
import { withoutNestedLocation } from '../../metadata/unknown-block.ts'
import { withoutXmpLocation } from '../../metadata/xmp/strip-xmp.ts'
import { type BoxTree, freeBox, listBoxes, overwrite, typeAt } from '../boxes/box-tree.ts'
import { stripItems } from './apple-items.ts'

export type Strip = 'strip_location' | 'strip_all'

/** Coordinates of QuickTime (©xyz) and 3GPP (loci), and camera blocks that contain coordinates: GoPro (GPMF), Nikon (NCDT), Canon (CNTH), Exif. */
const LOCATION_BOXES = new Set([
  '\xa9xyz',
  'loci',
  'gps ',
  'GPS ',
  'gpsa',
  'gpmd',
  'camm',
  'GPMF',
  'NCDT',
  'CNTH',
  'Exif',
  'EXIF',
  'exif',
])

/** Unused space by definition, but cameras write data into it and editors leave old data in it. */
const SPACES = new Set(['free', 'skip'])

/** Binary XML, and boxes that do not belong in `meta`. */
const UNREADABLE_IN_META = new Set(['bxml', 'meta', 'udta'])

const XMP = 'be7acfcb97a942e89c71999491e3afac'

/** Boxes that players need: for spherical and for encrypted video. */
const NEEDED_UUIDS = new Set([
  'ffcc8263f8554a938814587a02521fdd',
  'd08a4f1810f34a82b6c832d8aba183d3',
  '8974dbce7be74c5184f97148f9882554',
  'a2394f525a9b4f14a2446c427c648df4',
  '6d1d9b0542d544e680e2141daff757b2',
  'd4807ef2ca3946958e5426cb9e46a79f',
])

/** Boxes that contain no text and may be long, and boxes of which each child is cleaned. */
const WITHOUT_TEXT = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'dinf',
  'edts',
  'mvex',
  'mvhd',
  'tkhd',
  'mdhd',
  'vmhd',
  'smhd',
  'stts',
  'ctts',
  'stss',
  'stsc',
  'stsz',
  'stz2',
  'stco',
  'co64',
  'sdtp',
  'sbgp',
  'sgpd',
  'saiz',
  'saio',
  'subs',
  'cslg',
  'stsh',
  'stdp',
  'padb',
  'free',
  'skip',
  'udta',
  'meta',
])

/** Cleans or blanks a box if it contains metadata. */
export function stripBox(tree: BoxTree, box: IsoBox, policy: Strip): void {
  stripStructure(tree, box, policy)
  if (policy === 'strip_location' && !WITHOUT_TEXT.has(typeAt(tree.bytes, box.start))) stripTexts(tree, box)
}

/** Coordinates in the texts of a box: comments, descriptions, names of tracks, chapters. */
function stripTexts(tree: BoxTree, { type, start, dataAt }: IsoBox): void {
  // The length is read again, because items may have been removed.
  const [box] = listBoxes(tree, start, tree.bytes.length) ?? []
  const end = box?.end ?? dataAt
  if (type === 'ilst') {
    const items = listBoxes(tree, dataAt, end) ?? []
    const values = items.flatMap((item) => listBoxes(tree, item.dataAt, item.end) ?? [])
    for (const value of values)
      cleanText(tree, Math.min(value.dataAt + VALUE_HEAD_BYTES, value.end), value.end)
  } else if (type.startsWith('\xa9')) stripTextList(tree, dataAt, end)
  else cleanText(tree, dataAt, end)
}

/** Before the value of an item: its type and language. */
const VALUE_HEAD_BYTES = 8

/** QuickTime's texts: each has a length and a language before it. */
function stripTextList(tree: BoxTree, from: number, end: number): void {
  for (let at = from; at + 4 <= end; ) {
    const textEnd = at + 4 + tree.bytes.readUInt16BE(at)
    cleanText(tree, at + 4, Math.min(textEnd, end))
    at = textEnd
  }
}

function cleanText(tree: BoxTree, at: number, end: number): void {
  const cleaned = withoutNestedLocation(tree.bytes.subarray(at, end))
  if (cleaned !== undefined) overwrite(tree, at, cleaned)
}

function stripStructure(tree: BoxTree, box: IsoBox, policy: Strip): void {
  if (box.type === 'uuid') stripUuid(tree, box, policy)
  else if (box.type === 'udta') stripUserData(tree, box, policy)
  else if (box.type === 'meta') stripMeta(tree, box, policy)
  else if (SPACES.has(box.type) || LOCATION_BOXES.has(box.type)) freeBox(tree, box)
}

function stripUserData(tree: BoxTree, box: IsoBox, policy: Strip): void {
  const children = policy === 'strip_all' ? undefined : listBoxes(tree, box.dataAt, box.end)
  // A box that cannot be parsed may contain a location, so it is blanked.
  if (children === undefined) freeBox(tree, box)
  for (const child of children ?? []) {
    if (child.type === 'XMP_') stripXmp(tree, child, child.dataAt)
    else if (child.type === 'udta') freeBox(tree, child)
    else stripBox(tree, child, policy)
  }
}

function stripMeta(tree: BoxTree, box: IsoBox, policy: Strip): void {
  const { bytes } = tree
  const { dataAt, end } = box
  // ISO files have four bytes of version and flags here, QuickTime files do not.
  const isBare = end - dataAt >= 8 && typeAt(bytes, dataAt) === 'hdlr'
  const children = listBoxes(tree, Math.min(isBare ? dataAt : dataAt + 4, end), end)
  const isPicture = children?.some(
    ({ type, dataAt: at, end: last }) =>
      type === 'hdlr' && last - at >= 12 && bytes.toString('latin1', at + 8, at + 12) === 'pict',
  )
  if (children === undefined || (policy === 'strip_all' && isPicture !== true)) {
    freeBox(tree, box)
    return
  }
  stripItems(tree, children)
  for (const child of children) {
    const isLocation = child.type === 'xml ' && mentionsLocation(textOf(bytes, child))
    if (isLocation || UNREADABLE_IN_META.has(child.type)) freeBox(tree, child)
    else stripBox(tree, child, policy)
  }
}

function stripUuid(tree: BoxTree, box: IsoBox, policy: Strip): void {
  const name = tree.bytes.toString('hex', box.dataAt, Math.min(box.dataAt + 16, box.end))
  if (NEEDED_UUIDS.has(name)) return
  // The content of other UUID boxes is unknown, so they are blanked.
  if (name === XMP && policy === 'strip_location') stripXmp(tree, box, box.dataAt + 16)
  else freeBox(tree, box)
}

function stripXmp(tree: BoxTree, box: IsoBox, at: number): void {
  const cleaned = withoutXmpLocation(tree.bytes.subarray(at, box.end))
  if (cleaned !== undefined) overwrite(tree, at, cleaned)
}

const textOf = (bytes: Buffer, { dataAt, end }: IsoBox) => bytes.toString('latin1', dataAt, end)
