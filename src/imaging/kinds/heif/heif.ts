import type { Bytes } from '../../../formats/containers/bytes.ts'
import type { Edit } from '../../../formats/containers/edits.ts'
import {
  brandsOf,
  childrenOf,
  findBox,
  type IsoBox,
  outerBoxes,
} from '../../../formats/containers/iso/boxes.ts'
import { dataOfItem, type IsoItem, itemsOf } from '../../../formats/containers/iso/items.ts'
import { emptyExif, tiffOfExif } from '../../../formats/metadata/exif/exif.ts'
import { withoutNestedLocation, withoutUnknownLocation } from '../../../formats/metadata/unknown-block.ts'
import { emptyXmp, withoutXmpLocation } from '../../../formats/metadata/xmp/strip-xmp.ts'
import { zeros } from '../../../formats/video/blank-ranges.ts'
import { readTree } from '../../../formats/video/boxes/box-tree.ts'
import { readLayout } from '../../../formats/video/boxes/layout.ts'
import { stripHeader } from '../../../formats/video/strip/strip-video.ts'
import type { Strip } from '../../../formats/video/strip/user-boxes.ts'
import { notDecodable } from '../../errors.ts'
import type { FoundMetadata, Header, PictureKind } from '../kind.ts'
import { trailerEdits } from '../trailer.ts'
import { avifForDecoder, heicForDecoder } from './for-decoder.ts'

/** What AVIF and HEIC share: both are HEIF files, with different codecs. */
const heifParts: Pick<PictureKind, 'header' | 'metadata' | 'strip'> = {
  header: readHeader,
  metadata: findMetadata,
  strip: (bytes, policy) => [
    ...(policy === 'strip_location' ? locationEdits(bytes) : metadataEdits(bytes)),
    ...heifOuterEdits(bytes, policy),
  ],
}

/** The ICC profile of the primary picture, if it has one. */
export function profileOf(bytes: Bytes): Buffer | undefined {
  const colour = itemsOf(bytes).primary?.properties.find(
    ({ type, dataAt, end }) =>
      type === 'colr' &&
      end - dataAt > 4 &&
      ['prof', 'rICC'].includes(bytes.read(dataAt, 4).toString('latin1')),
  )
  return colour && Buffer.from(bytes.read(colour.dataAt + 4, colour.end - colour.dataAt - 4))
}

function readHeader(bytes: Bytes, maxFrames: number): Header {
  const sequence = sequenceOf(bytes)
  const sizes = itemsOf(bytes)
    .properties.filter(isSize)
    .map((box) => sizeOf(bytes, box))
  // A decoder may also decode tiles and hidden pictures, so the largest size counts.
  const [largest] = sizes.sort((one, other) => other.width * other.height - one.width * one.height)
  const size = largest ?? sequence
  if (size === undefined) throw notDecodable('no picture size')
  return { ...size, frames: Math.min(sequence?.frames ?? 1, maxFrames + 1) }
}

const isSize = ({ type, dataAt, end }: IsoBox) => type === 'ispe' && end - dataAt >= 12

function sizeOf(bytes: Bytes, { dataAt }: IsoBox): { width: number; height: number } {
  const data = bytes.read(dataAt + 4, 8)
  return { width: data.readUInt32BE(0), height: data.readUInt32BE(4) }
}

/** The track with the most frames, if the file is an animation. */
function sequenceOf(bytes: Bytes): Header | undefined {
  const moov = findBox(outerBoxes(bytes).boxes, 'moov')
  if (moov === undefined) return undefined
  const tracks = childrenOf(bytes, moov).filter(({ type }) => type === 'trak')
  const sequences = tracks.map((track) => trackOf(bytes, track)).filter((track) => track.frames > 0)
  return sequences.sort((one, other) => other.frames - one.frames)[0]
}

function trackOf(bytes: Bytes, track: IsoBox): Header {
  const inside = (box: IsoBox | undefined, type: string) => box && findBox(childrenOf(bytes, box), type)
  const samples = inside(inside(inside(inside(track, 'mdia'), 'minf'), 'stbl'), 'stsz')
  const head = inside(track, 'tkhd')
  const frames = samples === undefined ? 0 : bytes.read(samples.dataAt + 8, 4).readUInt32BE(0)
  if (head === undefined) return { width: 0, height: 0, frames }
  const size = bytes.read(head.end - 8, 8)
  return { width: size.readUInt16BE(0), height: size.readUInt16BE(4), frames }
}

const isExif = ({ type }: IsoItem) => type === 'Exif'
const isXmp = ({ type, contentType }: IsoItem) => type === 'mime' && contentType === 'application/rdf+xml'

function findMetadata(bytes: Bytes): FoundMetadata {
  const { items } = itemsOf(bytes)
  const exif = items.find(isExif)
  const xmp = items.find(isXmp)
  const block = exif && dataOfItem(bytes, exif)
  return {
    exif: block && splitExif(block)?.tiff,
    xmp: xmp && dataOfItem(bytes, xmp),
  }
}

/** An Exif item begins with the offset of its TIFF structure. */
function splitExif(block: Buffer): { before: Buffer; tiff: Buffer } | undefined {
  if (block.length < 12) return undefined
  const skip = 4 + block.readUInt32BE(0)
  const tiff = skip < block.length ? tiffOfExif(block.subarray(skip)) : undefined
  return tiff && { before: block.subarray(0, block.length - tiff.length), tiff }
}

type Change = (block: Buffer) => Buffer | undefined

const metadataEdits = (bytes: Bytes): Edit[] =>
  editItems(bytes, (item) => {
    if (isXmp(item)) return (xmp) => emptyXmp(xmp.length)
    return isExif(item) ? (block) => changeExifItem(block, (exif) => emptyExif(exif.length)) : undefined
  })

/** Items of pictures are pixels, or say how to join pictures. Any other item may contain metadata. */
const PICTURE_ITEMS =
  /^(?:hvc1|hev1|lhv1|avc1|av01|vvc1|j2k1|jpgs|unci|grid|iden|iovl|tmap|hvt1|lhv1|mski|dimg)$/

function locationEdits(bytes: Bytes): Edit[] {
  const inItems = editItems(bytes, (item) => {
    if (isXmp(item)) return withoutXmpLocation
    return PICTURE_ITEMS.test(item.type) ? undefined : withoutUnknownLocation
  })
  return [...inItems, ...nameEdits(bytes)]
}

/** The names of items and the texts of properties. They are in boxes of `meta` that contain no pixels. */
function nameEdits(bytes: Bytes): Edit[] {
  const meta = findBox(outerBoxes(bytes).boxes, 'meta')
  const boxes = meta === undefined ? [] : childrenOf(bytes, meta, 4)
  return boxes.flatMap(({ type, dataAt, end }) => {
    if (PARTS_WITHOUT_TEXT.has(type) || end - dataAt > MAX_NAMES_BYTES) return []
    const cleaned = withoutNestedLocation(bytes.read(dataAt, end - dataAt))
    return cleaned === undefined ? [] : [{ start: dataAt, end, bytes: cleaned }]
  })
}

const PARTS_WITHOUT_TEXT = new Set(['idat', 'iloc', 'iref', 'pitm'])
const MAX_NAMES_BYTES = 16_777_216

/** Items keep their length, because `iloc` contains the offsets of all items. */
function editItems(bytes: Bytes, changeOf: (item: IsoItem) => Change | undefined): Edit[] {
  return itemsOf(bytes).items.flatMap((item) => {
    const change = changeOf(item)
    const block = change && dataOfItem(bytes, item)
    if (block === undefined) return []
    const changed = change?.(block)
    return changed === undefined || changed.equals(block) ? [] : editExtents(item, changed)
  })
}

function changeExifItem(block: Buffer, change: Change): Buffer | undefined {
  const parts = splitExif(block)
  const changed = parts && change(parts.tiff)
  return changed && Buffer.concat([parts.before, changed])
}

function editExtents({ extents = [] }: IsoItem, data: Buffer): Edit[] {
  let done = 0
  return extents.map(({ at, length }) => {
    done += length
    return { start: at, end: at + length, bytes: data.subarray(done - length, done) }
  })
}

/** Boxes that are needed to show the picture, or empty. All others describe it or contain the video of a motion photo. */
const NEEDED = new Set(['ftyp', 'styp', 'meta', 'mdat', 'moof', 'sidx', 'free', 'skip', 'mini'])
const FREE = Buffer.from('free', 'latin1')

/** Edits that keep the length, for boxes outside of `meta`: an image sequence, the video of a motion photo, vendors' own boxes. */
function heifOuterEdits(bytes: Bytes, policy: Strip): Edit[] {
  const { boxes, tailAt } = outerBoxes(bytes)
  const others = boxes.filter(({ type }) => !NEEDED.has(type))
  const edits = others.flatMap((box) =>
    box.type === 'moov' ? sequenceEdits(bytes, box, policy) : otherEdits(bytes, box, policy),
  )
  const tail = { start: tailAt, end: bytes.size }
  return tailAt === bytes.size ? edits : [...edits, ...trailerEdits(bytes, tail, policy)]
}

function sequenceEdits(bytes: Bytes, box: IsoBox, policy: Strip): Edit[] {
  const tree = readTree(bytes, box)
  const samples = stripHeader(bytes, readLayout(bytes), tree, policy)
  return tree.isChanged ? [{ start: box.start, end: box.end, bytes: tree.bytes }, ...samples] : samples
}

function otherEdits(bytes: Bytes, { start, dataAt, end }: IsoBox, policy: Strip): Edit[] {
  if (policy === 'strip_location') return trailerEdits(bytes, { start: dataAt, end }, policy)
  return [{ start: start + 4, end: start + 8, bytes: FREE }, ...zeros({ start: dataAt, end })]
}

const BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1', 'mif2']

export const heic: PictureKind<'heic'> = {
  type: 'image',
  name: 'heic',
  mime: 'image/heic',
  extensions: ['heic', 'heif', 'hif'],
  decoder: { by: 'libheif' },
  shownIn: [],
  variantFormat: 'webp',
  // sharp's build has no HEVC encoder.
  resizedAs: 'webp',

  matches: (head) => brandsOf(head).some((brand) => BRANDS.includes(brand)),
  forDecoder: heicForDecoder,
  ...heifParts,
}

export const avif: PictureKind<'avif'> = {
  type: 'image',
  name: 'avif',
  mime: 'image/avif',
  extensions: ['avif', 'avifs'],
  decoder: { by: 'libvips', loader: 'Heif', format: 'heif' },
  shownIn: ['browsers'],
  variantFormat: 'webp',
  // There is no encoder here: encoding AVIF takes several times as long as WebP.
  resizedAs: 'webp',

  matches: (head) => brandsOf(head).some((brand) => brand === 'avif' || brand === 'avis'),
  forDecoder: avifForDecoder,
  ...heifParts,
}
