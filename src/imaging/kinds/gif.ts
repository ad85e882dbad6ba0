import type { Bytes } from '../../formats/containers/bytes.ts'
import { type Edit, editJoined, type Part, removal } from '../../formats/containers/edits.ts'
import { GIF, type GifBlock, gifBlocks } from '../../formats/containers/gif-blocks.ts'
import { withoutNestedLocation, withoutUnknownLocation } from '../../formats/metadata/unknown-block.ts'
import { withoutXmpLocation } from '../../formats/metadata/xmp/strip-xmp.ts'
import type { FoundMetadata, Header, PictureKind } from './kind.ts'

const XMP = 'XMP DataXMP'

/** "Magic trailer": from any byte of the XMP, it leads a reader of sub-blocks to the terminator. */
const TRAILER_BYTES = 258

/** Application extensions that hold the loop count and the colour profile. */
const NEEDED = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

export const gif: PictureKind<'gif'> = {
  type: 'image',
  name: 'gif',
  mime: 'image/gif',
  extensions: ['gif'],
  decoder: { by: 'libvips', loader: 'Nsgif', format: 'gif' },
  shownIn: ['browsers', 'link-previews'],
  variantFormat: 'webp',
  resizedAs: 'gif',
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
    const frame = bytes.read(start + 1, 8)
    // Some decoders enlarge the canvas if a frame is larger.
    header.width = Math.max(header.width, frame.readUInt16LE(0) + frame.readUInt16LE(4))
    header.height = Math.max(header.height, frame.readUInt16LE(2) + frame.readUInt16LE(6))
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
  const blocks = [...gifBlocks(bytes)]
  const edits = blocks.flatMap((block) => {
    if (isXmp(block)) return packetEdits(bytes, block)
    return block.introducer === GIF.extension && block.label !== GIF.control ? textEdits(bytes, block) : []
  })
  return [...edits, ...trailerEdits(bytes, blocks)]
}

function packetEdits(bytes: Bytes, block: GifBlock): Edit[] {
  const { packet, isInBlocks } = packetOf(bytes, block)
  const cleaned = withoutXmpLocation(packet)
  if (cleaned === undefined) return []
  if (isInBlocks) return [removal(block.start, block.end)]
  return [{ start: block.dataAt, end: block.dataAt + cleaned.length, bytes: cleaned }]
}

/** A comment may say anything and stays but for coordinates; the data of other programs is judged as a whole. */
function textEdits(bytes: Bytes, block: GifBlock): Edit[] {
  const clean = block.label === GIF.application ? withoutUnknownLocation : withoutNestedLocation
  return editJoined(subBlocksOf(bytes, block), clean)
}

function metadataEdits(bytes: Bytes): Edit[] {
  const blocks = [...gifBlocks(bytes)]
  const edits = blocks.filter(isDescriptive).map(({ start, end }) => removal(start, end))
  return [...edits, ...trailerEdits(bytes, blocks)]
}

function trailerEdits(bytes: Bytes, blocks: readonly GifBlock[]): Edit[] {
  const fileEnd = (blocks.at(-1)?.end ?? bytes.size) + 1
  return fileEnd < bytes.size ? [removal(fileEnd, bytes.size)] : []
}

const isXmp = ({ application }: GifBlock) => application === XMP

const isDescriptive = ({ introducer, label, application }: GifBlock) =>
  introducer === GIF.extension &&
  (label === GIF.comment || (label === GIF.application && !NEEDED.includes(application)))

/** Adobe's specification writes the packet unchanged, before the magic trailer; some programs split it into sub-blocks. */
function packetOf(bytes: Bytes, { dataAt, end }: GifBlock): { packet: Buffer; isInBlocks: boolean } {
  const trailerAt = end - TRAILER_BYTES
  if (trailerAt >= dataAt && bytes.read(trailerAt, 3).readUIntBE(0, 3) === 0x01fffe) {
    return { packet: bytes.read(dataAt, trailerAt - dataAt), isInBlocks: false }
  }
  const packet = Buffer.concat(subBlocksOf(bytes, { dataAt, end }).map(({ data }) => data))
  return { packet, isInBlocks: true }
}

/** The contents of the sub-blocks, each of which begins with its length. */
function subBlocksOf(bytes: Bytes, { dataAt, end }: Pick<GifBlock, 'dataAt' | 'end'>): Part[] {
  const parts: Part[] = []
  for (let at = dataAt; at < end - 1; ) {
    const length = bytes.read(at, 1).readUInt8(0)
    parts.push({ at: at + 1, data: bytes.read(at + 1, length) })
    at += 1 + length
  }
  return parts
}
