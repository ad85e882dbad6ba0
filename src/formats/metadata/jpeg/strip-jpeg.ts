import { createHash } from 'node:crypto'
import type { Bytes } from '../../containers/bytes.ts'
import { type Edit, removal } from '../../containers/edits.ts'
import {
  appendedPictures,
  endOfPicture,
  JPEG,
  type JpegSegment,
  segmentsOf,
} from '../../containers/jpeg-segments.ts'
import { orientationExif, withoutExifLocation } from '../exif/exif.ts'
import { withoutPhotoshopLocation } from '../photoshop.ts'
import { withoutUnknownLocation } from '../unknown-block.ts'
import { withoutXmpLocation } from '../xmp/strip-xmp.ts'
import { blocksOf, EXIF_PREFIX, exifGroups, type JpegBlock, type JpegBlockName } from './blocks.ts'
import { withoutFlirLocation } from './flir.ts'
import { editJoined } from './joined-segments.ts'

/** Before each part: the GUID, the length of the whole extension, and the offset of the part in it. */
const EXTENSION_HEADER_BYTES = 40
const GUID_BYTES = 32

/** Edits that remove the location from the picture and from the pictures appended to it, and keep the length. */
export function jpegLocationEdits(bytes: Bytes): Edit[] {
  const segments = segmentsOf(bytes)
  const scanAt = segments.at(-1)?.end ?? bytes.size
  return [
    ...editsOfPicture(bytes, segments),
    ...appendedPictures(bytes, scanAt).flatMap((at) => {
      const appended = segmentsOrNone(bytes, at)
      return editsOfPicture(bytes, appended)
    }),
  ]
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

function editsOfPicture(bytes: Bytes, segments: readonly JpegSegment[]): Edit[] {
  const blocks = blocksOf(bytes, segments)
  const named = (wanted: JpegBlockName) => blocks.filter(({ name }) => name === wanted)
  const clean = (wanted: JpegBlockName, cleaner: (data: Buffer) => Buffer | undefined): Edit[] =>
    named(wanted).flatMap((block) => editJoined([block], cleaner))

  const extensions = extensionsOf(named('extension'))
  const edits = [
    ...exifGroups(blocks).flatMap((group) => editJoined(group, withoutExifLocation)),
    ...clean('xmp', (packet) => {
      const cleaned = withoutXmpLocation(packet)
      return extensions.reduce(renameExtension, cleaned ?? packet)
    }),
    ...clean('photoshop', withoutPhotoshopLocation),
    ...clean('unknown', withoutUnknownLocation),
    ...editJoined(named('flir'), withoutFlirLocation),
    ...extensions.flatMap(({ edits }) => edits),
  ]
  return edits.sort((one, other) => one.start - other.start)
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

/** Bytes that only look like an appended picture have no segments. */
function segmentsOrNone(bytes: Bytes, at: number): JpegSegment[] {
  try {
    return segmentsOf(bytes, at)
  } catch {
    return []
  }
}
