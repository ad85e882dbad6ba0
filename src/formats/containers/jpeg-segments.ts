import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface JpegSegment {
  marker: number
  /** The offset of the marker, fill bytes before it included. */
  start: number
  dataAt: number
  end: number
}

export const JPEG = { soi: 0xd8, eoi: 0xd9, sos: 0xda, app0: 0xe0, app1: 0xe1, comment: 0xfe } as const

const START_OF_IMAGE = Buffer.from([0xff, JPEG.soi, 0xff])
const PIECE_BYTES = 65_536
const MAX_SEGMENTS = 100_000

/** The segments of the picture at this offset, up to its first scan. */
export function segmentsOf(bytes: Bytes, start = 0): JpegSegment[] {
  const segments: JpegSegment[] = []
  for (let at = start + 2; ; ) {
    const segment = segmentAt(bytes, at)
    segments.push(segment)
    if (segment.marker === JPEG.sos || segment.marker === JPEG.eoi) return segments
    at = segment.end
  }
}

export interface JpegPicture {
  /** All segments, also those between and behind the scans. */
  segments: JpegSegment[]
  /** After the end mark; undefined if the picture is truncated. */
  end: number | undefined
}

/** The picture at this offset, up to its end mark, or as far as it can be read. */
export function pictureAt(bytes: Bytes, start = 0): JpegPicture {
  const segments: JpegSegment[] = []
  try {
    for (let at = start + 2; segments.length < MAX_SEGMENTS; ) {
      const segment = segmentAt(bytes, at)
      segments.push(segment)
      if (segment.marker === JPEG.eoi) return { segments, end: segment.end }
      at = segment.marker === JPEG.sos ? endOfScan(bytes, segment.end) : segment.end
    }
  } catch {
    // Truncated: what follows cannot be told apart.
  }
  return { segments, end: undefined }
}

/** The end of the picture at this offset: after its last scan. */
export function endOfPicture(bytes: Bytes, start = 0): number {
  const { end } = pictureAt(bytes, start)
  if (end === undefined) throw notDecodable('a JPEG picture without an end')
  return end
}

/** The offsets of pictures after the first one; phones append depth maps, gain maps and second views. */
export function appendedPictures(bytes: Bytes, from: number): number[] {
  const offsets: number[] = []
  // Pieces overlap, because the marker may cross the end of a piece.
  for (const { piece, at } of piecesOf(bytes, from, START_OF_IMAGE.length)) {
    for (
      let found = piece.indexOf(START_OF_IMAGE);
      found !== -1;
      found = piece.indexOf(START_OF_IMAGE, found + 1)
    ) {
      // Any four bytes may look like a start; a picture begins with a segment that has a length.
      const marker = piece[found + 3] ?? 0
      if (marker >= 0xc0 && marker !== 0xff && (marker < 0xd0 || marker > JPEG.eoi)) offsets.push(at + found)
    }
  }
  return offsets
}

/** The bytes to the end, in pieces that overlap by `extra` bytes. The buffer of a piece is reused for the next one. */
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
  // Decoders skip stray bytes, and any number of fill bytes (0xff) may precede a marker.
  while (marker === 0) {
    while (byteAt(bytes, at) !== 0xff) at++
    while (byteAt(bytes, at + 1) === 0xff) at++
    marker = byteAt(bytes, at + 1)
    if (marker === 0) at += 2
  }
  const isStandalone = marker === 0x01 || (marker >= 0xd0 && marker <= JPEG.eoi)
  if (isStandalone) return { marker, start, dataAt: at + 2, end: at + 2 }
  const length = bytes.read(at + 2, 2).readUInt16BE(0)
  if (length < 2) throw notDecodable('a JPEG segment shorter than its length field')
  return { marker, start, dataAt: at + 4, end: at + 2 + length }
}

const byteAt = (bytes: Bytes, at: number) => bytes.read(at, 1).readUInt8(0)

/** Compressed data ends at a marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Bytes, from: number): number {
  for (const { piece, at } of piecesOf(bytes, from, 1)) {
    for (let found = piece.indexOf(0xff); found !== -1 && found + 1 < piece.length; ) {
      const next = piece.readUInt8(found + 1)
      if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at + found
      found = piece.indexOf(0xff, found + 1)
    }
  }
  throw notDecodable('a JPEG scan without an end')
}
