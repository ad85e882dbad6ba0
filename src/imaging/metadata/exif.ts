import { bytesOf } from '../containers/bytes.ts'
import { editBuffer, withoutOverlaps } from '../containers/edits.ts'
import { isTiff, readTiff } from '../containers/tiff-directories.ts'
import { tiffLocationEdits } from './tiff-edits.ts'

const PREFIX = Buffer.from('Exif\0\0', 'latin1')

/** The TIFF structure of an Exif block; some programs put a prefix before it that only JPEG should have. */
export function tiffOfExif(block: Buffer): Buffer | undefined {
  const tiff = block.subarray(0, PREFIX.length).equals(PREFIX) ? block.subarray(PREFIX.length) : block
  return tiff.length >= 8 && isTiff(tiff) ? tiff : undefined
}

/** The same Exif block, of the same length, without its location; undefined when it has none. */
export function withoutExifLocation(block: Buffer): Buffer | undefined {
  const tiff = tiffOfExif(block)
  if (tiff === undefined) return undefined
  const bytes = bytesOf(tiff)
  const edits = withoutOverlaps(tiffLocationEdits(bytes, readTiff(bytes)))
  if (edits.length === 0) return undefined
  return Buffer.concat([block.subarray(0, block.length - tiff.length), editBuffer(tiff, edits)])
}

/** An Exif structure that says nothing but which way is up; undefined when that goes without saying. */
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

/** A structure of that length without any entry, for places that cannot shrink. */
export function emptyExif(length: number): Buffer {
  const exif = Buffer.alloc(length)
  exif.write('MM\0*', 'latin1')
  if (length >= 8) exif.writeUInt32BE(8, 4)
  return exif
}
