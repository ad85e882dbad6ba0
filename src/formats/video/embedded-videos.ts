import { type Bytes, bytesBetween } from '../containers/bytes.ts'
import { type Edit, shiftedBy } from '../containers/edits.ts'
import { notDecodable } from '../errors.ts'
import { isBlank, zeros } from './blank-ranges.ts'
import { readLayout } from './boxes/layout.ts'
import type { Range } from './boxes/track-samples.ts'
import { planEmbedded } from './rewrite-video.ts'
import type { Strip } from './strip/user-boxes.ts'

const FTYP = Buffer.from('ftyp', 'latin1')
const PIECE_BYTES = 1_048_576
const MAX_VIDEOS = 16
const MAX_BRANDS_BYTES = 1024

export interface EmbeddedVideo extends Range {
  /** Edits that remove its metadata and keep its length. */
  edits: Edit[]
  /** False if it cannot be parsed. Then it may contain a location, so its edits blank it. */
  isReadable: boolean
}

/** The videos in a range of a picture file. Those of motion photos are found by their `ftyp` box, because each vendor points at them in another way. */
export function embeddedVideos(bytes: Bytes, { start, end }: Range, policy: Strip): EmbeddedVideo[] {
  const videos: EmbeddedVideo[] = []
  for (let at = nextVideo(bytes, start, end); at !== undefined; ) {
    if (videos.length >= MAX_VIDEOS) throw notDecodable(`more than ${MAX_VIDEOS} videos in a picture`)
    const video = videoAt(bytes, at, end, policy)
    videos.push(video)
    at = nextVideo(bytes, video.end, end)
  }
  return videos
}

function videoAt(bytes: Bytes, start: number, limit: number, policy: Strip): EmbeddedVideo {
  try {
    const layout = readLayout(bytesBetween(bytes, start, limit))
    const end = start + layout.tailAt
    // Bytes after the last box belong to the picture file.
    const edits = planEmbedded(bytesBetween(bytes, start, end), layout, policy)
    return { start, end, edits: shiftedBy(start, edits), isReadable: true }
  } catch {
    const rest = { start: start + 8, end: limit }
    const edits = isBlank(bytes, rest.start, rest.end) ? [] : zeros(rest)
    return { start, end: limit, edits, isReadable: false }
  }
}

/** The offset of the next `ftyp` box. It is searched in arbitrary bytes, so all its fields are checked. */
function nextVideo(bytes: Bytes, from: number, to: number): number | undefined {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(0, to - from)))
  for (let at = from; at + 16 <= to; at += PIECE_BYTES - 16) {
    const piece = bytes.whole?.subarray(at, to) ?? buffer.subarray(0, Math.min(PIECE_BYTES, to - at))
    if (bytes.whole === undefined) bytes.readInto(piece, at)
    for (let found = piece.indexOf(FTYP, 4); found !== -1; found = piece.indexOf(FTYP, found + 1)) {
      if (found + 12 <= piece.length && isFtyp(piece, found - 4)) return at + found - 4
    }
    if (bytes.whole !== undefined) return undefined
  }
  return undefined
}

function isFtyp(piece: Buffer, at: number): boolean {
  const size = piece.readUInt32BE(at)
  const brand = piece.toString('latin1', at + 8, at + 12)
  return size >= 16 && size <= MAX_BRANDS_BYTES && size % 4 === 0 && /^[\x20-\x7e]{4}$/.test(brand)
}
