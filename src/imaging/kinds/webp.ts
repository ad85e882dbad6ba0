import type { Bytes } from '../../formats/containers/bytes.ts'
import { type Edit, removal } from '../../formats/containers/edits.ts'
import {
  endOfRiff,
  type RiffChunk,
  riffChunksIn,
  riffChunksOf,
  writeRiffChunk,
} from '../../formats/containers/riff-chunks.ts'
import { orientationExif, tiffOfExif } from '../../formats/metadata/exif/exif.ts'
import { withoutTextLocation } from '../../formats/metadata/location/texts.ts'
import { withoutUnknownLocation } from '../../formats/metadata/unknown-block.ts'
import { withoutXmpLocation } from '../../formats/metadata/xmp/strip-xmp.ts'
import { notDecodable } from '../errors.ts'
import type { FoundMetadata, Header, PictureKind } from './kind.ts'

const CANVAS = 'VP8X'
const XMP = 'XMP '
const FRAME = 'ANMF'
const HAS_XMP = 0x04
const HAS_EXIF = 0x08
const NEEDED = [CANVAS, 'ICCP', 'ANIM', FRAME, 'ALPH', 'VP8 ', 'VP8L']

export const webp: PictureKind<'webp'> = {
  type: 'image',
  name: 'webp',
  mime: 'image/webp',
  extensions: ['webp'],
  decoder: { by: 'libvips', loader: 'Webp', format: 'webp' },
  shownIn: ['browsers', 'link-previews'],
  variantFormat: 'webp',
  resizedAs: 'webp',
  hasReadableFrames: true,

  matches: (head) =>
    head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP' && head.length > 20,
  header: readHeader,
  metadata: findMetadata,
  strip: (bytes, policy, orientation) =>
    policy === 'strip_location' ? locationEdits(bytes) : metadataEdits(bytes, orientation),
}

function readHeader(bytes: Bytes, maxFrames: number): Header {
  const chunks = riffChunksOf(bytes)
  const frames = chunks.filter(({ type }) => type === FRAME).length
  const sized = chunks.find(({ type }) => [CANVAS, 'VP8 ', 'VP8L'].includes(type))
  if (sized === undefined) throw notDecodable('no picture in the WebP file')
  return { ...sizeOf(bytes, sized), frames: Math.min(Math.max(1, frames), maxFrames + 1) }
}

function sizeOf(bytes: Bytes, { type, dataAt }: RiffChunk): { width: number; height: number } {
  const data = bytes.read(dataAt, type === 'VP8L' ? 5 : 10)
  if (type === CANVAS) return { width: 1 + data.readUIntLE(4, 3), height: 1 + data.readUIntLE(7, 3) }
  if (type === 'VP8 ') return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
  const bits = data.readUInt32LE(1)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}

function findMetadata(bytes: Bytes): FoundMetadata {
  const chunks = riffChunksOf(bytes)
  const find = (wanted: string) => {
    const chunk = chunks.find(({ type }) => type === wanted)
    return chunk && bytes.read(chunk.dataAt, chunk.dataEnd - chunk.dataAt)
  }
  const exif = find('EXIF')
  return { exif: exif && tiffOfExif(exif), xmp: find(XMP) }
}

function locationEdits(bytes: Bytes): Edit[] {
  const chunks = riffChunksOf(bytes)
  const inFrames = chunks.filter(({ type }) => type === FRAME).flatMap((frame) => chunksOfFrame(bytes, frame))
  const edits = [...chunks, ...inFrames].flatMap(({ type, dataAt, dataEnd }) => {
    const cleaned = cleanerOf(type)?.(bytes.read(dataAt, dataEnd - dataAt))
    return cleaned === undefined ? [] : [{ start: dataAt, end: dataEnd, bytes: cleaned }]
  })
  const end = endOfRiff(bytes)
  return end < bytes.size ? [...edits, removal(end, bytes.size)] : edits
}

/** The chunks after the frame's place and duration. A frame that cannot be read was refused by the decoder. */
function chunksOfFrame(bytes: Bytes, { dataAt, dataEnd }: RiffChunk): RiffChunk[] {
  return riffChunksIn(bytes, Math.min(dataAt + 16, dataEnd), dataEnd)
}

function cleanerOf(type: string): ((data: Buffer) => Buffer | undefined) | undefined {
  if (type === XMP) return withoutXmpLocation
  if (type === 'ICCP') return withoutTextLocation
  return NEEDED.includes(type) ? undefined : withoutUnknownLocation
}

function metadataEdits(bytes: Bytes, orientation: number): Edit[] {
  const chunks = riffChunksOf(bytes)
  const upright = orientationExif(orientation)
  const exif = upright && writeRiffChunk('EXIF', upright)
  const isKept = ({ type, start, end }: RiffChunk) =>
    NEEDED.includes(type) || (type === 'EXIF' && exif?.equals(bytes.read(start, end - start)) === true)
  const dropped = chunks.filter((chunk) => !isKept(chunk))
  const end = chunks.at(-1)?.end ?? bytes.size
  if (dropped.length === 0 && end === bytes.size) return []

  const hasExif = exif !== undefined && dropped.some(({ type }) => type === 'EXIF')
  const droppedBytes = dropped.reduce((sum, chunk) => sum + chunk.end - chunk.start, 0)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(end - 8 - droppedBytes + (hasExif ? exif.length : 0))
  const edits: Edit[] = [{ start: 4, end: 8, bytes: length }]
  const canvas = chunks.find(({ type }) => type === CANVAS)
  if (canvas !== undefined) {
    const hasKeptExif = chunks.some((chunk) => chunk.type === 'EXIF' && isKept(chunk))
    const flags = bytes.read(canvas.dataAt, 1).readUInt8(0) & ~(HAS_XMP | HAS_EXIF)
    const bytesOfFlags = Buffer.from([flags | (hasExif || hasKeptExif ? HAS_EXIF : 0)])
    edits.push({ start: canvas.dataAt, end: canvas.dataAt + 1, bytes: bytesOfFlags })
  }
  edits.push(...dropped.map((chunk) => removal(chunk.start, chunk.end)))
  if (end < bytes.size || hasExif) {
    edits.push({ start: end, end: bytes.size, bytes: hasExif ? exif : Buffer.alloc(0) })
  }
  return edits
}
