import type { Bytes } from '../containers/bytes.ts'
import { type Edit, removal } from '../containers/edits.ts'
import { GIF, type GifBlock, gifBlocks } from '../containers/gif-blocks.ts'
import { withoutXmpLocation } from '../metadata/xmp.ts'
import type { FoundMetadata, Header, PictureKind } from './kind.ts'

const XMP = 'XMP DataXMP'

/** Bytes that lead a reader of sub-blocks to the end, wherever in the XMP it comes from. */
const RAMP_BYTES = 258

/** Looping and the colour profile. */
const NEEDED = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

export const gif: PictureKind = {
  name: 'gif',
  mime: 'image/gif',
  extensions: ['gif'],
  decodedBy: 'libvips',
  variantFormat: 'webp',
  hasReadableFrames: true,

  matches: (head) => ['GIF87a', 'GIF89a'].includes(head.toString('latin1', 0, 6)),
  header: readHeader,
  metadata: findMetadata,
  strip: (bytes, policy) => (policy === 'strip_location' ? locationEdits(bytes) : metadataEdits(bytes)),
}

function readHeader(bytes: Bytes, maxFrames: number): Header {
  const screen = bytes.read(6, 4)
  const header = { width: screen.readUInt16LE(0), height: screen.readUInt16LE(2), frames: 0 }
  for (const { introducer, start } of gifBlocks(bytes)) {
    if (introducer !== GIF.picture) continue
    const place = bytes.read(start + 1, 8)
    // Some decoders let a picture that is larger than the screen widen it.
    header.width = Math.max(header.width, place.readUInt16LE(0) + place.readUInt16LE(4))
    header.height = Math.max(header.height, place.readUInt16LE(2) + place.readUInt16LE(6))
    header.frames++
    if (header.frames > maxFrames) break
  }
  return header
}

function findMetadata(bytes: Bytes): FoundMetadata {
  const block = gifBlocks(bytes).find(isXmp)
  return block === undefined ? {} : { xmp: packetOf(bytes, block).packet }
}

function locationEdits(bytes: Bytes): Edit[] {
  return [...gifBlocks(bytes).filter(isXmp)].flatMap((block) => {
    const { packet, isInBlocks } = packetOf(bytes, block)
    const cleaned = withoutXmpLocation(packet)
    if (cleaned === undefined) return []
    if (isInBlocks) return [removal(block.start, block.end)]
    return [{ start: block.dataAt, end: block.dataAt + cleaned.length, bytes: cleaned }]
  })
}

function metadataEdits(bytes: Bytes): Edit[] {
  const blocks = [...gifBlocks(bytes)]
  const edits = blocks.filter(isDescriptive).map(({ start, end }) => removal(start, end))
  const trailerEnd = (blocks.at(-1)?.end ?? bytes.size) + 1
  return trailerEnd < bytes.size ? [...edits, removal(trailerEnd, bytes.size)] : edits
}

const isXmp = ({ application }: GifBlock) => application === XMP

const isDescriptive = ({ introducer, label, application }: GifBlock) =>
  introducer === GIF.extension &&
  (label === GIF.comment || (label === GIF.application && !NEEDED.includes(application)))

/** As Adobe prescribes the packet stands there as it is, before the ramp; some programs cut it into sub-blocks. */
function packetOf(bytes: Bytes, { dataAt, end }: GifBlock): { packet: Buffer; isInBlocks: boolean } {
  const rampAt = end - RAMP_BYTES
  if (rampAt >= dataAt && bytes.read(rampAt, 3).readUIntBE(0, 3) === 0x01fffe) {
    return { packet: bytes.read(dataAt, rampAt - dataAt), isInBlocks: false }
  }
  const pieces: Buffer[] = []
  for (let at = dataAt; at < end - 1; ) {
    const length = bytes.read(at, 1).readUInt8(0)
    pieces.push(bytes.read(at + 1, length))
    at += 1 + length
  }
  return { packet: Buffer.concat(pieces), isInBlocks: true }
}
