import { type Bytes, bytesBetween } from '../../containers/bytes.ts'
import { blank, type Edit, shiftedBy } from '../../containers/edits.ts'
import {
  numbersOf,
  POINTERS,
  type Tiff,
  type TiffDirectory,
  type TiffEntry,
} from '../../containers/tiff-directories.ts'
import type { NestedCleaners } from '../found-metadata.ts'
import { withoutIptcLocation } from '../iptc.ts'
import { withoutTextLocation } from '../location/texts.ts'
import { withoutPhotoshopLocation } from '../photoshop.ts'
import { withoutXmpLocation } from '../xmp/strip-xmp.ts'

const TAGS = {
  xmp: 0x02bc,
  iptc: 0x83bb,
  photoshop: 0x8649,
  gdal: 0xa480,
  profile: 0x8773,
  thumbnail: 0x0201,
  thumbnailBytes: 0x0202,
  stripOffsets: 0x0111,
  stripBytes: 0x0117,
} as const

/** The pointer to the GPS directory, the tags of GeoTIFF, and the coefficients that map pixels to degrees. */
const LOCATION_TAGS = new Set([
  POINTERS.gps,
  0x830e,
  0x8480,
  0x8482,
  0x85d7,
  0x85d8,
  0x87af,
  0x87b0,
  0x87b1,
  0xc69c,
] as number[])

/** Rational numbers and floating-point numbers contain no text. */
const NUMBER_TYPES = new Set([5, 10, 11, 12])
/** The shortest text with coordinates, such as 5N 3E. */
const MIN_TEXT_BYTES = 5
const MAX_PICTURES = 64
/** Longer values are pictures. */
const MAX_VALUE_BYTES = 16_777_216

/**
 * The tags that are needed to show a page: size, layout, colours, compression, orientation. All other tags are removed by
 * `strip_all`: tags of cameras and of DNG contain serial numbers and file names.
 */
export const NEEDED_TAGS = new Set([
  // Type of page, size, bits, compression, colours, fill order.
  0x00fe,
  0x00ff,
  0x0100,
  0x0101,
  0x0102,
  0x0103,
  0x0106,
  0x0107,
  0x0108,
  0x0109,
  0x010a,
  // Strips, orientation, samples, resolution, planes.
  0x0111,
  0x0112,
  0x0115,
  0x0116,
  0x0117,
  0x0118,
  0x0119,
  0x011a,
  0x011b,
  0x011c,
  0x011e,
  0x011f,
  0x0122,
  0x0123,
  0x0124,
  0x0125,
  0x0128,
  0x0129,
  0x012d,
  0x013d,
  0x013e,
  0x013f,
  0x0140,
  0x0141,
  // Tiles, damaged fax lines, other pictures, inks, alpha, sample formats, tables of JPEG.
  0x0142,
  0x0143,
  0x0144,
  0x0145,
  0x0146,
  0x0147,
  0x0148,
  POINTERS.sub,
  0x014c,
  0x014e,
  0x0150,
  0x0152,
  0x0153,
  0x0154,
  0x0155,
  0x0156,
  0x015a,
  0x015b,
  0x0200,
  0x0201,
  0x0202,
  0x0203,
  0x0205,
  0x0206,
  0x0207,
  0x0208,
  0x0209,
  0x0211,
  0x0212,
  0x0213,
  0x0214,
  // Depth and type of SGI, the scale of LogLuv, the colour profile, the parameters of LERC.
  0x80e3,
  0x80e4,
  0x80e5,
  0x80e6,
  0x923f,
  0x8773,
  0xc5f2,
] as number[])

/** Edits that remove the location from a TIFF structure and keep its length. */
export function tiffLocationEdits(bytes: Bytes, tiff: Tiff, inside: NestedCleaners): Edit[] {
  return [
    ...tiff.directories.flatMap((directory) =>
      directory.role === 'gps'
        ? blankDirectory(bytes, directory)
        : dropEntries(bytes, tiff, directory, (tag) => LOCATION_TAGS.has(tag)),
    ),
    ...tiff.directories.flatMap((directory) =>
      directory.role === 'gps'
        ? []
        : [
            ...directory.entries.flatMap((entry) => cleanValue(bytes, entry, inside)),
            ...pictureEdits(bytes, tiff, directory, inside),
          ],
    ),
  ]
}

/** Edits that remove everything that is not needed to show a TIFF file, and keep its length. */
export function tiffMetadataEdits(bytes: Bytes, tiff: Tiff): Edit[] {
  const isPicture = ({ role }: TiffDirectory) => role === 'page' || role === 'sub'
  return tiff.directories.flatMap((directory) =>
    isPicture(directory)
      ? dropEntries(bytes, tiff, directory, (tag) => !NEEDED_TAGS.has(tag))
      : blankDirectory(bytes, directory),
  )
}

function blankDirectory(bytes: Bytes, { at, end, entries }: TiffDirectory): Edit[] {
  const isBlank = bytes.read(at, end - at).every((byte) => byte === 0)
  return isBlank ? [] : [blank(at, end), ...entries.flatMap((entry) => blankValue(bytes, entry))]
}

function dropEntries(
  bytes: Bytes,
  tiff: Tiff,
  directory: TiffDirectory,
  isDropped: (tag: number) => boolean,
): Edit[] {
  const dropped = directory.entries.filter(({ tag }) => isDropped(tag))
  if (dropped.length === 0) return []
  const kept = directory.entries.filter(({ tag }) => !isDropped(tag))
  const table = Buffer.alloc(directory.end - directory.at)
  const count = Buffer.alloc(tiff.isBig ? 8 : 2)
  if (tiff.isLittleEndian) count.writeUInt16LE(kept.length, 0)
  else count.writeUInt16BE(kept.length, count.length - 2)
  // The entries move up and zeros fill the end of the table, so that no offset in the file changes.
  Buffer.concat([count, ...kept.map(({ raw }) => raw), directory.tail]).copy(table)
  return [
    { start: directory.at, end: directory.end, bytes: table },
    ...dropped.flatMap((entry) => blankValue(bytes, entry)),
  ]
}

function blankValue(bytes: Bytes, { at, length, isInline }: TiffEntry): Edit[] {
  return isInline || at + length > bytes.size ? [] : [blank(at, at + length)]
}

/** The value of an entry, cleaned by what the tag is known to contain, or else by what is found in it. */
function cleanValue(
  bytes: Bytes,
  { tag, type, at, length, isInline }: TiffEntry,
  inside: NestedCleaners,
): Edit[] {
  const isNumber = NUMBER_TYPES.has(type) || (NEEDED_TAGS.has(tag) && tag !== TAGS.profile)
  const isReadable = !isInline && length >= MIN_TEXT_BYTES && at + length <= bytes.size
  if (LOCATION_TAGS.has(tag) || isNumber || !isReadable || length > MAX_VALUE_BYTES) return []
  const value = bytes.read(at, length)
  const cleaned = cleanerOf(tag, inside)(value)
  return cleaned === undefined || cleaned.equals(value)
    ? []
    : [{ start: at, end: at + length, bytes: cleaned }]
}

function cleanerOf(tag: number, inside: NestedCleaners): (value: Buffer) => Buffer | undefined {
  switch (tag) {
    case TAGS.xmp:
      return withoutXmpLocation
    case TAGS.iptc:
      return withoutIptcLocation
    case TAGS.photoshop:
      return (value) => withoutPhotoshopLocation(value, inside)
    case TAGS.profile:
      return withoutTextLocation
    case TAGS.gdal:
      return inside.unknown
    default:
      return inside.nested
  }
}

/** The thumbnail of Exif, and the strips of a picture that is compressed as JPEG: each is a JPEG file with metadata of its own. */
function pictureEdits(bytes: Bytes, tiff: Tiff, { entries }: TiffDirectory, inside: NestedCleaners): Edit[] {
  const numbers = (wanted: number) => {
    const entry = entries.find(({ tag }) => tag === wanted)
    return entry === undefined ? [] : numbersOf(bytes, tiff, entry, MAX_PICTURES)
  }
  const offsets = [...numbers(TAGS.thumbnail), ...numbers(TAGS.stripOffsets)]
  const lengths = [...numbers(TAGS.thumbnailBytes), ...numbers(TAGS.stripBytes)]
  return offsets.flatMap((at, index) => {
    const end = Math.min(at + (lengths[index] ?? 0), bytes.size)
    const isPicture = end - at > 4 && bytes.read(at, 2).readUInt16BE(0) === 0xffd8
    return isPicture ? shiftedBy(at, inside.pictures(bytesBetween(bytes, at, end))) : []
  })
}
