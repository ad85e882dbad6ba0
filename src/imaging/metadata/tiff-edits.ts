import type { Bytes } from '../containers/bytes.ts'
import { blank, type Edit } from '../containers/edits.ts'
import { POINTERS, type Tiff, type TiffDirectory, type TiffEntry } from '../containers/tiff-directories.ts'
import { withoutXmpLocation } from './xmp.ts'

const XMP = 0x02bc
const PHOTOSHOP = 0x8649

/** Where on earth a picture is: the GPS directory, and what GeoTIFF keeps. */
const LOCATION_TAGS = new Set([POINTERS.gps, 0x830e, 0x8482, 0x85d8, 0x87af, 0x87b0, 0x87b1] as number[])

/** Everything that only describes. Orientation and the colour profile are left, as they belong to the look. */
const DESCRIPTIVE_TAGS = new Set([
  ...LOCATION_TAGS,
  ...[POINTERS.exif, POINTERS.interoperability, XMP, PHOTOSHOP],
  // DocumentName, ImageDescription, Make, Model, PageName, Software, DateTime, Artist, HostComputer.
  ...[0x010d, 0x010e, 0x010f, 0x0110, 0x011d, 0x0131, 0x0132, 0x013b, 0x013c],
  // ImageID, Copyright, IPTC, image history, and the fields that Windows Explorer writes.
  ...[0x800d, 0x8298, 0x83bb, 0x9213, 0xa480, 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f],
])

/** Edits of the same length that take the location out of a TIFF structure. */
export function tiffLocationEdits(bytes: Bytes, tiff: Tiff): Edit[] {
  return [
    ...tiff.directories.flatMap((directory) =>
      directory.role === 'gps'
        ? blankDirectory(bytes, directory)
        : dropEntries(bytes, tiff, directory, LOCATION_TAGS),
    ),
    ...tiff.directories.flatMap(({ entries }) => entries.flatMap((entry) => cleanXmp(bytes, entry))),
  ]
}

/** Edits of the same length that take everything out of a TIFF file that is not needed to see it. */
export function tiffMetadataEdits(bytes: Bytes, tiff: Tiff): Edit[] {
  const isPicture = ({ role }: TiffDirectory) => role === 'page' || role === 'sub'
  return tiff.directories.flatMap((directory) =>
    isPicture(directory)
      ? dropEntries(bytes, tiff, directory, DESCRIPTIVE_TAGS)
      : blankDirectory(bytes, directory),
  )
}

function blankDirectory(bytes: Bytes, { at, end, entries }: TiffDirectory): Edit[] {
  const isBlank = bytes.read(at, end - at).every((byte) => byte === 0)
  return isBlank ? [] : [blank(at, end), ...entries.flatMap((entry) => blankValue(bytes, entry))]
}

function dropEntries(bytes: Bytes, tiff: Tiff, directory: TiffDirectory, tags: ReadonlySet<number>): Edit[] {
  const dropped = directory.entries.filter(({ tag }) => tags.has(tag))
  if (dropped.length === 0) return []
  const kept = directory.entries.filter(({ tag }) => !tags.has(tag))
  const table = Buffer.alloc(directory.end - directory.at)
  const count = Buffer.alloc(tiff.isBig ? 8 : 2)
  if (tiff.isLittleEndian) count.writeUInt16LE(kept.length, 0)
  else count.writeUInt16BE(kept.length, count.length - 2)
  // The entries move up and the space they leave stays, so that nothing else has to move.
  Buffer.concat([count, ...kept.map(({ raw }) => raw), directory.tail]).copy(table)
  return [
    { start: directory.at, end: directory.end, bytes: table },
    ...dropped.flatMap((entry) => blankValue(bytes, entry)),
  ]
}

function blankValue(bytes: Bytes, { at, length, isInline }: TiffEntry): Edit[] {
  return isInline || at + length > bytes.size ? [] : [blank(at, at + length)]
}

function cleanXmp(bytes: Bytes, { tag, at, length, isInline }: TiffEntry): Edit[] {
  if (tag !== XMP || isInline || at + length > bytes.size) return []
  const cleaned = withoutXmpLocation(bytes.read(at, length))
  return cleaned === undefined ? [] : [{ start: at, end: at + length, bytes: cleaned }]
}
