import { type Bytes, bytesBetween } from '../containers/bytes.ts'
import type { Edit } from '../containers/edits.ts'
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

/**
 * Edits that remove metadata from the videos in a range of a picture file and keep the length. The videos of motion photos are
 * found by their `ftyp` box, because each vendor points at them in another way.
 */
export function embeddedVideoEdits(bytes: Bytes, { start, end }: Range, policy: Strip): Edit[] {
  const edits: Edit[] = []
  let videos = 0
  for (let at = nextVideo(bytes, start, end); at !== undefined; ) {
    if (videos++ >= MAX_VIDEOS) throw notDecodable(`more than ${MAX_VIDEOS} videos in a picture`)
    const video = videoAt(bytes, at, end, policy)
    edits.push(...video.edits)
    at = nextVideo(bytes, video.end, end)
  }
  return edits
}

function videoAt(bytes: Bytes, start: number, limit: number, policy: Strip): { end: number; edits: Edit[] } {
  try {
    const layout = readLayout(bytesBetween(bytes, start, limit))
    const end = start + layout.tailAt
    // Bytes after the last box belong to the picture file.
    const edits = planEmbedded(bytesBetween(bytes, start, end), layout, policy)
    return {
      end,
      edits: edits.map((edit) => ({ ...edit, start: edit.start + start, end: edit.end + start })),
    }
  } catch {
    // A video that cannot be parsed may contain a location, so it is blanked.
    const rest = { start: start + 8, end: limit }
    return { end: limit, edits: isBlank(bytes, rest.start, rest.end) ? [] : zeros(rest) }
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
