import { createHash } from 'node:crypto'
import type { Bytes } from '../containers/bytes.ts'
import { type Edit, removal } from '../containers/edits.ts'
import {
  appendedPictures,
  endOfPicture,
  JPEG,
  type JpegSegment,
  segmentsOf,
} from '../containers/jpeg-segments.ts'
import { orientationExif, withoutExifLocation } from './exif.ts'
import { EXIF_PREFIX, EXTENSION_PREFIX, findBlocks, PHOTOSHOP_PREFIX, XMP_PREFIX } from './jpeg-metadata.ts'
import { withoutPhotoshopLocation } from './photoshop.ts'
import { withoutXmpLocation } from './xmp.ts'

/** GUID, length of the whole extension and place of this part, before the part itself. */
const EXTENSION_HEADER_BYTES = 40
const GUID_BYTES = 32

/** Edits of the same length, in the picture and in those appended to it. */
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

/** Leaves what the decoder needs, the colour profile and which way is up. */
export function jpegMetadataEdits(bytes: Bytes, orientation: number): Edit[] {
  const segments = segmentsOf(bytes)
  const dropped = segments.filter((segment) => !isNeeded(bytes, segment))
  const edits = dropped.map(({ start, end }) => removal(start, end))
  const pictureEnd = endOfPicture(bytes)
  if (pictureEnd < bytes.size) edits.push(removal(pictureEnd, bytes.size))
  const upright = orientationExif(orientation)
  const onlyExif = dropped.length === 1 ? findBlocks(bytes, dropped, EXIF_PREFIX)[0]?.data : undefined
  if (upright === undefined) return edits
  // What this function wrote before is left as it is.
  if (edits.length === 1 && onlyExif?.equals(upright)) return []
  const head = Buffer.from([0xff, JPEG.app1, 0, 2 + EXIF_PREFIX.length + upright.length])
  return [{ start: 2, end: 2, bytes: Buffer.concat([head, EXIF_PREFIX, upright]) }, ...edits]
}

function editsOfPicture(bytes: Bytes, segments: readonly JpegSegment[]): Edit[] {
  const clean = (prefix: Buffer, cleaner: (data: Buffer) => Buffer | undefined): Edit[] =>
    findBlocks(bytes, segments, prefix).flatMap(({ at, end, data }) => {
      const cleaned = cleaner(data)
      return cleaned === undefined ? [] : [{ start: at, end, bytes: cleaned }]
    })

  const extension = cleanExtension(bytes, segments)
  const cleanXmp = (packet: Buffer) => {
    const cleaned = withoutXmpLocation(packet)
    return extension === undefined ? cleaned : renameExtension(cleaned ?? packet, extension)
  }
  const edits = [
    ...clean(EXIF_PREFIX, withoutExifLocation),
    ...clean(XMP_PREFIX, cleanXmp),
    ...clean(PHOTOSHOP_PREFIX, withoutPhotoshopLocation),
    ...(extension?.edits ?? []),
  ]
  return edits.sort((one, other) => one.start - other.start)
}

interface CleanedExtension {
  edits: Edit[]
  guid: string
  newGuid: string
}

/** XMP too long for one segment goes on in others, held together by the MD5 of it all. */
function cleanExtension(bytes: Bytes, segments: readonly JpegSegment[]): CleanedExtension | undefined {
  const parts = findBlocks(bytes, segments, EXTENSION_PREFIX)
    .filter(({ data }) => data.length > EXTENSION_HEADER_BYTES)
    .sort((one, other) => one.data.readUInt32BE(36) - other.data.readUInt32BE(36))
  const [first] = parts
  if (first === undefined) return undefined
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
  return { edits, guid: first.data.toString('latin1', 0, GUID_BYTES), newGuid }
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

/** What only looks like an appended picture has no metadata to take away. */
function segmentsOrNone(bytes: Bytes, at: number): JpegSegment[] {
  try {
    return segmentsOf(bytes, at)
  } catch {
    return []
  }
}
