import { inflateSync } from 'node:zlib'
import { bytesOf } from '../containers/bytes.ts'
import { editBuffer, withoutOverlaps } from '../containers/edits.ts'
import { tiffOfExif, withoutExifLocation } from './exif/exif.ts'
import type { NestedCleaners } from './found-metadata.ts'
import { embeddedJpegEdits } from './jpeg/strip-jpeg.ts'
import { withoutTextLocation } from './location/texts.ts'
import { withoutXmpLocation } from './xmp/strip-xmp.ts'

/** Field names of locations in vendors' formats; long enough to be rare in compressed bytes by chance. */
const NAMES_LOCATION = /GPS[A-Z\d_]|[Gg]ps[A-Z_][A-Za-z]|[Ll]atitude|[Ll]ong(?:t?)itude|LATITUDE|LONGITUDE/

const XMP_START = /<(?:x:x[am]pmeta|rdf:RDF|\?xpacket)/
const WIDE_XMP_START = /\0{0,3}<\0{1,3}(?:x\0{1,3}:\0{1,3}x|r\0{1,3}d\0{1,3}f|\?\0{1,3}x\0{1,3}p)/
/** The end of a packet in one, two or four bytes for each character. */
const XMP_END =
  /<\0{0,3}\/\0{0,3}(?:x\0{0,3}:\0{0,3}x\0{0,3}[am]\0{0,3}p\0{0,3}m\0{0,3}e\0{0,3}t\0{0,3}a|r\0{0,3}d\0{0,3}f\0{0,3}:\0{0,3}R\0{0,3}D\0{0,3}F)\0{0,3}>\0{0,3}/
const MAX_PACKETS = 64
const TIFF_STARTS = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].map((start) => Buffer.from(start, 'latin1'))

/** A thumbnail in a thumbnail is still cleaned; what is nested deeper is blanked. */
const MAX_DEPTH = 3
const MAX_TIFFS = 8
const LONG_VALUE_BYTES = 4096
const MAX_INFLATED_BYTES = 4_194_304
/** How far from the start of a block compressed data may begin: after a keyword, a length or a method. */
const MAX_BEFORE_DEFLATED = 96

const cleanersAt = (depth: number): NestedCleaners => ({
  nested: (block) => withoutNestedLocation(block, depth),
  unknown: (block) => withoutUnknownLocation(block, depth),
  pictures: (bytes) => embeddedJpegEdits(bytes, cleanersAt(depth + 1)),
})

/** The texts of long values, which are a camera's notes, are cleaned with the block that contains the structure. */
const cleanersInTiff = (depth: number): NestedCleaners => ({
  ...cleanersAt(depth),
  nested: (value) =>
    value.length > LONG_VALUE_BYTES
      ? inSteps(value, depth, [withoutPictures, withoutPackets])
      : withoutNestedLocation(value, depth),
})

/** For the metadata that is shown, without what never is: notes of cameras and thumbnails. */
export const withoutShownLocation = (exif: Buffer): Buffer | undefined =>
  withoutExifLocation(exif, {
    nested: withoutTextLocation,
    unknown: withoutUnknownLocation,
    pictures: () => [],
  })

/** For what is directly in a file. */
export const cleaners: NestedCleaners = cleanersAt(0)

/**
 * A copy of a block of unknown format without its location, of equal length: Exif, XMP, JPEG and texts in it are cleaned, any
 * other block that mentions a location is blanked. Undefined if it has none.
 */
export function withoutUnknownLocation(block: Buffer, depth = 0): Buffer | undefined {
  const nested = withoutNestedLocation(block, depth)
  if (hasStructure(block)) return nested
  if (mentionsLocation(block) || hidesLocation(block, depth)) return Buffer.alloc(block.length)
  return nested
}

/** The same without blanking the block as a whole: for blocks of which the rest is of use, such as a camera's notes. */
export function withoutNestedLocation(block: Buffer, depth = 0): Buffer | undefined {
  if (depth > MAX_DEPTH) return block.every((byte) => byte === 0) ? undefined : Buffer.alloc(block.length)
  return inSteps(block, depth, [withoutPictures, withoutPackets, withoutTiffs, withoutTextLocation])
}

type Step = (block: Buffer, depth: number) => Buffer | undefined

function inSteps(block: Buffer, depth: number, steps: readonly Step[]): Buffer | undefined {
  const cleaned = steps.reduce((current, step) => step(current, depth) ?? current, block)
  return cleaned === block ? undefined : cleaned
}

const hasStructure = (block: Buffer) =>
  tiffOfExif(block) !== undefined || XMP_START.test(block.toString('latin1')) || isJpeg(block)

const isJpeg = (block: Buffer) => block.length > 3 && block.readUIntBE(0, 3) === 0xffd8ff

function mentionsLocation(block: Buffer): boolean {
  const text = block.toString('latin1')
  return NAMES_LOCATION.test(text) || (text.includes('\0') && NAMES_LOCATION.test(text.replace(/\0/g, '')))
}

/** Bytes after a packet are not its own, so each is cleaned up to its end. */
function withoutPackets(block: Buffer): Buffer | undefined {
  const text = block.toString('latin1')
  let cleaned: Buffer | undefined
  for (let at = 0, count = 0; at < text.length && count < MAX_PACKETS; count++) {
    const start = indexFrom(text, XMP_START, at) ?? indexFrom(text, WIDE_XMP_START, at)
    if (start === undefined) break
    const end = endOfPacket(text, start)
    const packet = withoutXmpLocation(block.subarray(start, end))
    if (packet !== undefined) {
      cleaned ??= Buffer.from(block)
      packet.copy(cleaned, start)
    }
    at = end
  }
  return cleaned
}

function indexFrom(text: string, pattern: RegExp, at: number): number | undefined {
  const found = text.slice(at).search(pattern)
  return found === -1 ? undefined : at + found
}

/** The end of the block if the packet has none. */
function endOfPacket(text: string, start: number): number {
  const end = XMP_END.exec(text.slice(start))
  return end === null ? text.length : start + end.index + end[0].length
}

function withoutPictures(block: Buffer, depth: number): Buffer | undefined {
  const edits = withoutOverlaps(embeddedJpegEdits(bytesOf(block), cleanersAt(depth + 1)))
  return edits.length === 0 ? undefined : editBuffer(block, edits)
}

/** A TIFF structure has no end, so each is read up to the end of the block; inside of another block only at its start. */
function withoutTiffs(block: Buffer, depth: number): Buffer | undefined {
  let cleaned: Buffer | undefined
  for (const at of tiffsIn(block, depth === 0 ? MAX_TIFFS : 1)) {
    const tiff = withoutExifLocation((cleaned ?? block).subarray(at), cleanersInTiff(depth + 1))
    if (tiff === undefined) continue
    cleaned ??= Buffer.from(block)
    tiff.copy(cleaned, at)
  }
  return cleaned
}

function tiffsIn(block: Buffer, most: number): number[] {
  const found = TIFF_STARTS.flatMap((start) => {
    const offsets: number[] = []
    for (let at = block.indexOf(start); at !== -1 && offsets.length < most; at = block.indexOf(start, at + 1))
      offsets.push(at)
    return offsets
  })
  return found.sort((one, other) => one - other)
}

/** True if the block contains compressed data that has a location. */
function hidesLocation(block: Buffer, depth: number): boolean {
  for (let at = 0; at + 8 < block.length && at < MAX_BEFORE_DEFLATED; at++) {
    // The head of zlib: method 8 with a window of 32 KB, and a check.
    if (block[at] !== 0x78 || block.readUInt16BE(at) % 31 !== 0) continue
    try {
      const inflated = inflateSync(block.subarray(at), { maxOutputLength: MAX_INFLATED_BYTES })
      if (withoutUnknownLocation(inflated, depth + 1) !== undefined) return true
    } catch (error) {
      // What expands beyond all bounds cannot be searched; what cannot be inflated is no compressed data.
      if (error instanceof RangeError) return true
    }
  }
  return false
}
