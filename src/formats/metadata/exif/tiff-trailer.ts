import type { Bytes } from '../../containers/bytes.ts'
import { type Edit, removal } from '../../containers/edits.ts'
import { numbersOf, type Tiff, type TiffDirectory } from '../../containers/tiff-directories.ts'
import { isBlank } from '../../video/blank-ranges.ts'
import type { NestedCleaners } from '../found-metadata.ts'
import { NEEDED_TAGS } from './tiff-edits.ts'

const TAGS = {
  width: 0x0100,
  height: 0x0101,
  bits: 0x0102,
  compression: 0x0103,
  samples: 0x0115,
  stripOffsets: 0x0111,
  stripBytes: 0x0117,
  tileOffsets: 0x0144,
  tileBytes: 0x0145,
  thumbnail: 0x0201,
  thumbnailBytes: 0x0202,
} as const
const UNCOMPRESSED = 1
/** Offsets of the tables of old JPEG compression. */
const TABLES = new Set([0x0207, 0x0208, 0x0209])
/** Unsigned integers of 32 and 64 bits, and pointers to directories: any of them may be an offset. */
const OFFSET_TYPES = new Set([4, 13, 16, 18])
const MAX_NUMBERS = 1_000_000
const MAX_READ_BYTES = 16_777_216

/**
 * Edits for what lies behind the last byte that the directories name. It is removed; if a page does not say how long its pixels
 * are, or an unknown tag points behind the end, it stays and is cleaned.
 */
export function tiffTrailerEdits(bytes: Bytes, tiff: Tiff, { unknown }: NestedCleaners): Edit[] {
  const end = Math.max(8, ...tiff.directories.map((directory) => endOf(bytes, tiff, directory)))
  // Zeros are left of values that were removed before.
  if (end >= bytes.size || isBlank(bytes, end, bytes.size)) return []
  const isEnd = tiff.directories.every((directory) => !pointsBehind(bytes, tiff, directory, end))
  if (isEnd) return [removal(end, bytes.size)]
  const cleaned = bytes.size - end <= MAX_READ_BYTES ? unknown(bytes.read(end, bytes.size - end)) : undefined
  return cleaned === undefined ? [] : [{ start: end, end: bytes.size, bytes: cleaned }]
}

/** The end of a directory, its values and its pixels; the end of the file if the length of the pixels is unknown. */
function endOf(bytes: Bytes, tiff: Tiff, directory: TiffDirectory): number {
  const values = directory.entries
    .filter(({ isInline, at, length }) => !isInline && at + length <= bytes.size)
    .map(({ at, length }) => at + length)
  const pixels = [
    endOfPixels(bytes, tiff, directory, TAGS.stripOffsets, TAGS.stripBytes),
    endOfPixels(bytes, tiff, directory, TAGS.tileOffsets, TAGS.tileBytes),
    endOfPixels(bytes, tiff, directory, TAGS.thumbnail, TAGS.thumbnailBytes),
  ]
  return values.reduce((most, each) => Math.max(most, each), Math.max(directory.end, ...pixels))
}

function endOfPixels(
  bytes: Bytes,
  tiff: Tiff,
  directory: TiffDirectory,
  offsetsTag: number,
  lengthsTag: number,
): number {
  const offsets = numbersIn(bytes, tiff, directory, offsetsTag)
  if (offsets.length === 0) return 0
  const lengths = numbersIn(bytes, tiff, directory, lengthsTag)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  // Decoders guess a length that is missing, or too short for pixels that are not compressed.
  const isKnown = lengths.length === offsets.length && lengths.every((length) => length > 0)
  if (!isKnown || total < leastBytes(bytes, tiff, directory, offsetsTag)) return bytes.size
  return offsets.reduce((most, at, index) => Math.max(most, at + (lengths[index] ?? 0)), 0)
}

function leastBytes(bytes: Bytes, tiff: Tiff, directory: TiffDirectory, offsetsTag: number): number {
  const number = (tag: number, other: number) => numbersIn(bytes, tiff, directory, tag)[0] ?? other
  const isRaw = offsetsTag !== TAGS.thumbnail && number(TAGS.compression, UNCOMPRESSED) === UNCOMPRESSED
  if (!isRaw) return 0
  const bitsOfRow = number(TAGS.width, 0) * number(TAGS.bits, 1) * number(TAGS.samples, 1)
  return Math.ceil(bitsOfRow / 8) * number(TAGS.height, 0)
}

function pointsBehind(bytes: Bytes, tiff: Tiff, { entries }: TiffDirectory, end: number): boolean {
  return entries.some(
    (entry) =>
      OFFSET_TYPES.has(entry.type) &&
      (!NEEDED_TAGS.has(entry.tag) || TABLES.has(entry.tag)) &&
      numbersOf(bytes, tiff, entry, MAX_NUMBERS).some((number) => number >= end && number < bytes.size),
  )
}

function numbersIn(bytes: Bytes, tiff: Tiff, { entries }: TiffDirectory, wanted: number): number[] {
  const entry = entries.find(({ tag }) => tag === wanted)
  return entry === undefined ? [] : numbersOf(bytes, tiff, entry, MAX_NUMBERS)
}
