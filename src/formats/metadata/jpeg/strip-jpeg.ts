import { createHash } from 'node:crypto'
import type { Bytes } from '../../containers/bytes.ts'
import { blank, type Edit, editJoined, removal, withoutOverlaps } from '../../containers/edits.ts'
import {
  appendedPictures,
  endOfPicture,
  JPEG,
  type JpegPicture,
  type JpegSegment,
  pictureAt,
  segmentsOf,
} from '../../containers/jpeg-segments.ts'
import { orientationExif } from '../exif/exif.ts'
import type { NestedCleaners } from '../found-metadata.ts'
import { withoutTextLocation } from '../location/texts.ts'
import { withoutPhotoshopLocation } from '../photoshop.ts'
import { withoutXmpLocation } from '../xmp/strip-xmp.ts'
import {
  blocksOf,
  EXIF_PREFIX,
  exifGroups,
  type JpegBlock,
  type JpegBlockName,
  photoshopGroups,
} from './blocks.ts'
import { withoutFlirLocation } from './flir.ts'

/** Before each part: the GUID, the length of the whole extension, and the offset of the part in it. */
const EXTENSION_HEADER_BYTES = 40
const GUID_BYTES = 32
/** The segments of a manifest repeat its box, after the number of the box and of the segment. */
const MANIFEST_HEADER_BYTES = 16
/** A marker and its length are four bytes. */
const MIN_STRAY_BYTES = 8

/** Edits that remove the location from the picture at the start of the file, and keep the length. */
export const jpegLocationEdits = (bytes: Bytes, { segments }: JpegPicture, inside: NestedCleaners): Edit[] =>
  editsOfPicture(bytes, segments, inside)

/**
 * Edits that remove the location from every JPEG in these bytes, such as a thumbnail or a preview, and keep the length. Bytes
 * behind a picture that fills the bytes are blanked: its container counts them as the picture's.
 */
export function embeddedJpegEdits(bytes: Bytes, inside: NestedCleaners): Edit[] {
  const edits: Edit[] = []
  let done = 0
  for (const at of appendedPictures(bytes, 0)) {
    if (at < done) continue
    const { segments, end = bytes.size } = pictureAt(bytes, at)
    edits.push(...editsOfPicture(bytes, segments, inside))
    done = end
    if (at === 0 && !isBlank(bytes, end)) edits.push(blank(end, bytes.size))
  }
  return edits
}

/** Edits that remove all metadata but the colour profile and the orientation. */
export function jpegMetadataEdits(bytes: Bytes, orientation: number): Edit[] {
  const segments = segmentsOf(bytes)
  const dropped = segments.filter((segment) => !isNeeded(bytes, segment))
  const edits = dropped.map(({ start, end }) => removal(start, end))
  const pictureEnd = endOfPicture(bytes)
  if (pictureEnd < bytes.size) edits.push(removal(pictureEnd, bytes.size))
  const upright = orientationExif(orientation)
  const onlyExif = dropped.length === 1 ? blocksOf(bytes, dropped).find(isExif)?.data : undefined
  if (upright === undefined) return edits
  // The file was stripped before: nothing to change.
  if (edits.length === 1 && onlyExif?.equals(upright)) return []
  const head = Buffer.from([0xff, JPEG.app1, 0, 2 + EXIF_PREFIX.length + upright.length])
  return [{ start: 2, end: 2, bytes: Buffer.concat([head, EXIF_PREFIX, upright]) }, ...edits]
}

const isExif = ({ name }: JpegBlock) => name === 'exif'

function editsOfPicture(bytes: Bytes, segments: readonly JpegSegment[], inside: NestedCleaners): Edit[] {
  const blocks = blocksOf(bytes, segments)
  const named = (wanted: JpegBlockName) => blocks.filter(({ name }) => name === wanted)
  const clean = (wanted: JpegBlockName, cleaner: (data: Buffer) => Buffer | undefined): Edit[] =>
    named(wanted).flatMap((block) => editJoined([block], cleaner))

  const extensions = extensionsOf(named('extension'))
  const edits = [
    ...exifGroups(blocks).flatMap((group) => editJoined(group, inside.nested)),
    ...clean('xmp', (packet) => {
      const cleaned = withoutXmpLocation(packet)
      return extensions.reduce(renameExtension, cleaned ?? packet)
    }),
    ...photoshopGroups(blocks).flatMap((group) =>
      editJoined(group, (data) => withoutPhotoshopLocation(data, inside)),
    ),
    ...clean('list', inside.nested),
    ...clean('profile', withoutTextLocation),
    ...clean('unknown', inside.unknown),
    ...editJoined(named('comment'), (joined) => withoutCommentLocation(named('comment'), joined, inside)),
    ...manifestEdits(named('manifest'), inside),
    ...editJoined(named('flir'), withoutFlirLocation),
    ...strayBytes(bytes, segments).flatMap((stray) => editJoined([stray], inside.unknown)),
    ...extensions.flatMap(({ edits }) => edits),
  ]
  return withoutOverlaps(edits)
}

/** Bytes between two segments, which decoders skip. */
function strayBytes(bytes: Bytes, segments: readonly JpegSegment[]): { at: number; data: Buffer }[] {
  return segments
    .filter(({ start, dataAt }) => dataAt - start > MIN_STRAY_BYTES)
    .map(({ start, dataAt }) => ({ at: start, data: bytes.read(start, dataAt - start - 4) }))
}

/** A text may be split over several comments, and each comment is a text too. */
function withoutCommentLocation(
  comments: readonly JpegBlock[],
  joined: Buffer,
  inside: NestedCleaners,
): Buffer | undefined {
  const each = Buffer.concat(comments.map(({ data }) => inside.unknown(data) ?? data))
  const cleaned = withoutTextLocation(each) ?? each
  return cleaned.equals(joined) ? undefined : cleaned
}

/** A changed manifest of provenance is void, so all of it is blanked if any part mentions a location. */
function manifestEdits(parts: readonly JpegBlock[], inside: NestedCleaners): Edit[] {
  const contents = parts.map(({ data }, index) => data.subarray(index === 0 ? 0 : MANIFEST_HEADER_BYTES))
  if (inside.unknown(Buffer.concat(contents)) === undefined) return []
  return parts.map(({ at, end }) => blank(at, end))
}

interface CleanedExtension {
  edits: Edit[]
  guid: string
  newGuid: string
}

/** XMP that is too long for one segment continues in extensions, which are identified by the MD5 of their joined content. */
function extensionsOf(blocks: readonly JpegBlock[]): CleanedExtension[] {
  const parts = blocks.filter(({ data }) => data.length > EXTENSION_HEADER_BYTES)
  const byGuid = Map.groupBy(parts, ({ data }) => data.toString('latin1', 0, GUID_BYTES))
  return [...byGuid].flatMap(([guid, group]) => cleanExtension(guid, group) ?? [])
}

function cleanExtension(guid: string, group: JpegBlock[]): CleanedExtension | undefined {
  const parts = group.sort((one, other) => one.data.readUInt32BE(36) - other.data.readUInt32BE(36))
  const cleaned = withoutXmpLocation(
    Buffer.concat(parts.map(({ data }) => data.subarray(EXTENSION_HEADER_BYTES))),
  )
  if (cleaned === undefined) return undefined

  const newGuid = createHash('md5').update(cleaned).digest('hex').toUpperCase()
  let done = 0
  const edits = parts.map(({ at, end, data }) => {
    const length = data.length - EXTENSION_HEADER_BYTES
    const part = cleaned.subarray(done, done + length)
    done += length
    const header = data.subarray(GUID_BYTES, EXTENSION_HEADER_BYTES)
    return { start: at, end, bytes: Buffer.concat([Buffer.from(newGuid, 'latin1'), header, part]) }
  })
  return { edits, guid, newGuid }
}

function renameExtension(packet: Buffer, { guid, newGuid }: CleanedExtension): Buffer {
  return Buffer.from(packet.toString('latin1').replaceAll(guid, newGuid), 'latin1')
}

function isNeeded(bytes: Bytes, { marker, dataAt, end }: JpegSegment): boolean {
  const startsWith = (text: string) =>
    end - dataAt >= text.length && bytes.read(dataAt, text.length).toString('latin1') === text
  if (marker === JPEG.comment) return false
  if (marker < JPEG.app0 || marker > JPEG.app0 + 15) return true
  if (marker === JPEG.app0) return startsWith('JFIF\0')
  if (marker === JPEG.app0 + 2) return startsWith('ICC_PROFILE\0')
  return marker === JPEG.app0 + 14 && startsWith('Adobe')
}

const isBlank = (bytes: Bytes, from: number) =>
  bytes.read(from, bytes.size - from).every((byte) => byte === 0)
