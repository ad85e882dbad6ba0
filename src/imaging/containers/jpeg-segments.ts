import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface JpegSegment {
  marker: number
  /** From the marker to the end of the data. */
  start: number
  dataAt: number
  end: number
}

export const JPEG = { soi: 0xd8, eoi: 0xd9, sos: 0xda, app0: 0xe0, app1: 0xe1, comment: 0xfe } as const

const START_OF_IMAGE = Buffer.from([0xff, JPEG.soi, 0xff])
const PIECE_BYTES = 65_536

/** The segments of the picture that begins there, up to its first scan. */
export function segmentsOf(bytes: Bytes, start = 0): JpegSegment[] {
  const segments: JpegSegment[] = []
  for (let at = start + 2; ; ) {
    const segment = segmentAt(bytes, at)
    segments.push(segment)
    if (segment.marker === JPEG.sos || segment.marker === JPEG.eoi) return segments
    at = segment.end
  }
}

/** Where the picture that begins there ends: after its last scan. */
export function endOfPicture(bytes: Bytes, start = 0): number {
  let segment = segmentsOf(bytes, start).at(-1)
  while (segment !== undefined && segment.marker !== JPEG.eoi) {
    const at = segment.marker === JPEG.sos ? endOfScan(bytes, segment.end) : segment.end
    segment = segmentAt(bytes, at)
  }
  return segment?.end ?? bytes.size
}

/** Where pictures begin that are appended to the first, as phones do for depth, gain maps and second views. */
export function appendedPictures(bytes: Bytes, from: number): number[] {
  const places: number[] = []
  // A little more than a piece, since the mark may stand across its end.
  for (const { piece, at } of piecesOf(bytes, from, START_OF_IMAGE.length - 1)) {
    for (
      let found = piece.indexOf(START_OF_IMAGE);
      found !== -1;
      found = piece.indexOf(START_OF_IMAGE, found + 1)
    ) {
      places.push(at + found)
    }
  }
  return places
}

/** Bytes to the end, each piece with some of the next. A piece is overwritten by the one after it. */
function* piecesOf(bytes: Bytes, from: number, extra: number): Generator<{ piece: Buffer; at: number }> {
  if (bytes.whole) {
    yield { piece: bytes.whole.subarray(from), at: from }
    return
  }
  const memory = Buffer.allocUnsafe(PIECE_BYTES + extra)
  for (let at = from; at < bytes.size; at += PIECE_BYTES) {
    const piece = memory.subarray(0, Math.min(memory.length, bytes.size - at))
    bytes.readInto(piece, at)
    yield { piece, at }
  }
}

function segmentAt(bytes: Bytes, start: number): JpegSegment {
  let at = start
  let marker = 0
  // Decoders step over stray bytes, and any number of fill bytes may stand before a marker.
  while (marker === 0) {
    while (byteAt(bytes, at) !== 0xff) at++
    while (byteAt(bytes, at + 1) === 0xff) at++
    marker = byteAt(bytes, at + 1)
    if (marker === 0) at += 2
  }
  const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= JPEG.eoi)
  if (isAlone) return { marker, start, dataAt: at + 2, end: at + 2 }
  const length = bytes.read(at + 2, 2).readUInt16BE(0)
  if (length < 2) throw notDecodable('a JPEG segment shorter than its length')
  return { marker, start, dataAt: at + 4, end: at + 2 + length }
}

const byteAt = (bytes: Bytes, at: number) => bytes.read(at, 1).readUInt8(0)

/** Compressed data goes on until a marker that is neither stuffing nor a restart. */
function endOfScan(bytes: Bytes, from: number): number {
  for (const { piece, at } of piecesOf(bytes, from, 1)) {
    for (let found = piece.indexOf(0xff); found !== -1 && found + 1 < piece.length; ) {
      const next = piece.readUInt8(found + 1)
      if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at + found
      found = piece.indexOf(0xff, found + 1)
    }
  }
  throw notDecodable('the JPEG data has no end')
}
