import { bytesOf } from '../../containers/bytes.ts'
import { editBuffer, withoutOverlaps } from '../../containers/edits.ts'
import { isTiff, readTiff } from '../../containers/tiff-directories.ts'
import type { NestedCleaners } from '../found-metadata.ts'
import { tiffLocationEdits } from './tiff-edits.ts'

/** `Exif\0\0` in the standard. Some programs write another last byte, or a few bytes before, and readers accept that. */
const PREFIX = /^[\s\S]{0,4}?Exif\0[\s\S]/i
const LONGEST_PREFIX = 10
/** The head of a BigTIFF, or the head of a TIFF and a directory with one entry. */
const MIN_TIFF_BYTES = 16

/** The length of the prefix; 0 if there is none. */
export function exifPrefixBytes(block: Buffer): number {
  return PREFIX.exec(block.toString('latin1', 0, LONGEST_PREFIX))?.[0].length ?? 0
}

/** The TIFF structure of an Exif block. Some programs write JPEG's prefix in other formats too. */
export function tiffOfExif(block: Buffer): Buffer | undefined {
  const tiff = block.subarray(exifPrefixBytes(block))
  return tiff.length >= MIN_TIFF_BYTES && isTiff(tiff) ? tiff : undefined
}

/** In forged blocks values overlap, and only the first of two overlapping edits is applied at once. */
const MAX_ROUNDS = 4

/** A copy of the Exif block without its location, of equal length; undefined if it has no location. */
export function withoutExifLocation(block: Buffer, inside: NestedCleaners): Buffer | undefined {
  const tiff = tiffOfExif(block)
  if (tiff === undefined) return undefined
  const cleaned = cleanTiff(tiff, inside)
  return cleaned && Buffer.concat([block.subarray(0, block.length - tiff.length), cleaned])
}

function cleanTiff(tiff: Buffer, inside: NestedCleaners): Buffer | undefined {
  let cleaned = tiff
  // An edit may have blanked the head itself, where a forged value lies on it.
  for (let round = 0; round < MAX_ROUNDS && isTiff(cleaned); round++) {
    const bytes = bytesOf(cleaned)
    const edits = tiffLocationEdits(bytes, readTiff(bytes), inside)
    const applied = withoutOverlaps(edits)
    if (applied.length > 0) cleaned = editBuffer(cleaned, applied)
    if (applied.length === edits.length) return cleaned === tiff ? undefined : cleaned
  }
  return emptyExif(tiff.length)
}

/** An Exif structure with nothing but the orientation; undefined for the default orientation. */
export function orientationExif(orientation: number): Buffer | undefined {
  if (orientation <= 1 || orientation > 8) return undefined
  const exif = Buffer.alloc(26)
  exif.write('MM\0*', 'latin1')
  exif.writeUInt32BE(8, 4)
  exif.writeUInt16BE(1, 8)
  exif.writeUInt16BE(0x0112, 10)
  exif.writeUInt16BE(3, 12)
  exif.writeUInt32BE(1, 14)
  exif.writeUInt16BE(orientation, 18)
  return exif
}

/** An Exif structure of that length without entries, for containers in which a block must keep its length. */
export function emptyExif(length: number): Buffer {
  const exif = Buffer.alloc(length)
  exif.write('MM\0*', 'latin1')
  if (length >= 8) exif.writeUInt32BE(8, 4)
  return exif
}
