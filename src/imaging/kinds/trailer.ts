import { type Bytes, bytesBetween } from '../../formats/containers/bytes.ts'
import { type Edit, removal, shiftedBy } from '../../formats/containers/edits.ts'
import { appendedPictures, type JpegPicture, pictureAt } from '../../formats/containers/jpeg-segments.ts'
import { blocksOf } from '../../formats/metadata/jpeg/blocks.ts'
import { cleaners, withoutUnknownLocation } from '../../formats/metadata/unknown-block.ts'
import { isBlank, zeros } from '../../formats/video/blank-ranges.ts'
import { embeddedVideos } from '../../formats/video/embedded-videos.ts'
import type { Strip } from '../../formats/video/strip/user-boxes.ts'

interface Range {
  start: number
  end: number
}

const MAX_READ_BYTES = 16_777_216

/** Edits for vendor data in or after a picture: videos in it are cleaned, other data is blanked if it mentions a location. */
export function trailerEdits(bytes: Bytes, range: Range, policy: Strip): Edit[] {
  const { start, end } = range
  if (policy === 'strip_all') return isBlank(bytes, start, end) ? [] : zeros(range)
  const videos = embeddedVideos(bytes, range, policy)
  return [
    ...videos.flatMap(({ edits }) => edits),
    ...gapsBetween(videos, range).flatMap((gap) => cleaned(bytes, gap)),
  ]
}

/** What is too long to be read is left, if it is no video. */
function cleaned(bytes: Bytes, { start, end }: Range): Edit[] {
  const data =
    end - start <= MAX_READ_BYTES ? withoutUnknownLocation(bytes.read(start, end - start)) : undefined
  return data === undefined ? [] : [{ start, end, bytes: data }]
}

/** A part behind a JPEG that stays. */
interface Part extends Range {
  edits: Edit[]
}

/** Samsung's directory of blocks: at the end of the file, after its length. */
const DIRECTORY_END = 'SEFT'
/** Huawei's phones find the video by this text behind it. */
const VIDEO_MARK = /^[\x20-\x7e\s]{0,60}LIVE_\d[\x20-\x7e\s]{0,40}$/
const MAX_MARK_BYTES = 128

/**
 * Edits that remove what lies behind a JPEG. The videos of motion photos and the pictures that the file itself lists stay,
 * cleaned and where they are, because the file points to them; the last part is the end of the file.
 */
export function jpegTrailerEdits(bytes: Bytes, picture: JpegPicture): Edit[] {
  const { end: start = bytes.size } = picture
  if (start >= bytes.size) return []
  const parts = partsBehind(bytes, picture, { start, end: bytes.size })
  const last = parts.at(-1)
  if (last === undefined) return [removal(start, bytes.size)]
  const gaps = gapsBetween(parts, { start, end: last.end }).filter(
    (gap) => !isBlank(bytes, gap.start, gap.end),
  )
  return [
    ...parts.flatMap(({ edits }) => edits),
    ...gaps.flatMap(zeros),
    ...(last.end < bytes.size ? [removal(last.end, bytes.size)] : []),
  ]
}

function partsBehind(bytes: Bytes, picture: JpegPicture, range: Range): Part[] {
  const videos = embeddedVideos(bytes, range, 'strip_location').filter(({ isReadable }) => isReadable)
  const pictures = listsPictures(bytes, picture) ? picturesIn(bytes, gapsBetween(videos, range)) : []
  const parts: Part[] = [...videos, ...pictures].sort((one, other) => one.start - other.start)
  const last = parts.at(-1)
  if (last === undefined || last.end === bytes.size) return parts
  const tail = { start: last.end, end: bytes.size }
  const isMark = tail.end - tail.start <= MAX_MARK_BYTES && VIDEO_MARK.test(textOf(bytes, tail))
  if (isMark) return [...parts, { ...tail, edits: [] }]
  return videos.length > 0 && hasDirectory(bytes) ? withDirectory(bytes, parts, range) : parts
}

/** By the index of multi-picture files (MPF), or by Google's list of containers in XMP. */
function listsPictures(bytes: Bytes, { segments }: JpegPicture): boolean {
  return blocksOf(bytes, segments).some(
    ({ name, data }) =>
      name === 'list' ||
      (name === 'xmp' && data.includes('Container:Directory') && data.includes('Item:Length')),
  )
}

function picturesIn(bytes: Bytes, ranges: readonly Range[]): Part[] {
  return ranges.flatMap((range) => {
    const inside = bytesBetween(bytes, range.start, range.end)
    const parts: Part[] = []
    for (const at of appendedPictures(inside, 0)) {
      if (range.start + at < (parts.at(-1)?.end ?? 0)) continue
      const { end } = pictureAt(inside, at)
      if (end === undefined) continue
      const edits = shiftedBy(range.start + at, cleaners.pictures(bytesBetween(inside, at, end)))
      parts.push({ start: range.start + at, end: range.start + end, edits })
    }
    return parts
  })
}

const hasDirectory = (bytes: Bytes) =>
  textOf(bytes, { start: Math.max(0, bytes.size - 4), end: bytes.size }) === DIRECTORY_END

/** Samsung's blocks count back from the directory, so that nothing between the picture and the end of the file may move. */
function withDirectory(bytes: Bytes, parts: readonly Part[], range: Range): Part[] {
  const gaps = gapsBetween(parts, range).map((gap) => ({ ...gap, edits: cleaned(bytes, gap) }))
  return [...parts, ...gaps].sort((one, other) => one.start - other.start)
}

const textOf = (bytes: Bytes, { start, end }: Range) => bytes.read(start, end - start).toString('latin1')

/** What of the range is in none of the parts, which are sorted. */
function gapsBetween(parts: readonly Range[], { start, end }: Range): Range[] {
  const bounds = [...parts, { start: end, end }]
  return bounds
    .map((part, index) => ({
      start: index === 0 ? start : (bounds[index - 1]?.end ?? start),
      end: part.start,
    }))
    .filter((gap) => gap.end > gap.start)
}
