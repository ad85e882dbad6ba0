import type { Bytes } from '../../containers/bytes.ts'
import { JPEG, type JpegSegment, pictureAt } from '../../containers/jpeg-segments.ts'
import { exifPrefixBytes, tiffOfExif } from '../exif/exif.ts'
import type { FoundMetadata } from '../found-metadata.ts'
import { iptcOfPhotoshop, isWholePhotoshop } from '../photoshop.ts'

export const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

const APP13 = JPEG.app0 + 13
const APP15 = JPEG.app0 + 15
/** The name is followed by the number of this chunk and of the last one. */
const FLIR_PREFIX_BYTES = 8

type Prefixed = 'xmp' | 'extension' | 'photoshop' | 'flir' | 'manifest' | 'list' | 'profile'
export type JpegBlockName = Prefixed | 'exif' | 'comment' | 'unknown'

/** The content of an application segment, without the prefix that identifies it. */
export interface JpegBlock {
  name: JpegBlockName
  at: number
  end: number
  data: Buffer
}

const PREFIXES: readonly { name: Prefixed; marker: number; prefix: string; skip?: number }[] = [
  { name: 'xmp', marker: JPEG.app1, prefix: 'http://ns.adobe.com/xap/1.0/\0' },
  { name: 'extension', marker: JPEG.app1, prefix: 'http://ns.adobe.com/xmp/extension/\0' },
  { name: 'flir', marker: JPEG.app1, prefix: 'FLIR\0', skip: FLIR_PREFIX_BYTES },
  { name: 'photoshop', marker: APP13, prefix: 'Photoshop 3.0\0' },
  { name: 'manifest', marker: JPEG.app0 + 11, prefix: 'JP' },
  // The list of the pictures behind this one.
  { name: 'list', marker: JPEG.app0 + 2, prefix: 'MPF\0' },
  { name: 'profile', marker: JPEG.app0 + 2, prefix: 'ICC_PROFILE\0' },
]

/** The application segments and comments of a picture. */
export function blocksOf(bytes: Bytes, segments: readonly JpegSegment[]): JpegBlock[] {
  return segments
    .filter(({ marker }) => isDescriptive(marker))
    .map(({ marker, dataAt, end: claimedEnd }) => {
      const end = Math.min(claimedEnd, bytes.size)
      const data = bytes.read(dataAt, end - dataAt)
      if (marker === JPEG.comment) return { name: 'comment', at: dataAt, end, data }
      const known = PREFIXES.find(
        (one) => one.marker === marker && data.toString('latin1', 0, one.prefix.length) === one.prefix,
      )
      const skip = known && Math.min(known.skip ?? known.prefix.length, data.length)
      if (known && skip !== undefined) {
        return { name: known.name, at: dataAt + skip, end, data: data.subarray(skip) }
      }
      const prefixBytes = marker === JPEG.app1 ? exifPrefixBytes(data) : 0
      const isExif = prefixBytes > 0 || (marker === JPEG.app1 && tiffOfExif(data) !== undefined)
      return {
        name: isExif ? 'exif' : 'unknown',
        at: dataAt + prefixBytes,
        end,
        data: data.subarray(prefixBytes),
      } as const
    })
}

const isDescriptive = (marker: number) => (marker >= JPEG.app0 && marker <= APP15) || marker === JPEG.comment

/** A Photoshop block that is split over several segments continues in the middle of a resource. */
export function photoshopGroups(blocks: readonly JpegBlock[]): JpegBlock[][] {
  const groups: JpegBlock[][] = []
  let joined = Buffer.alloc(0)
  for (const block of blocks.filter(({ name }) => name === 'photoshop')) {
    const last = groups.at(-1)
    const isNew = last === undefined || isWholePhotoshop(joined)
    if (isNew) groups.push([block])
    else last.push(block)
    joined = isNew ? Buffer.from(block.data) : Buffer.concat([joined, block.data])
  }
  return groups
}

/** Exif that is split over several segments has a TIFF header only in the first one. */
export function exifGroups(blocks: readonly JpegBlock[]): JpegBlock[][] {
  const groups: JpegBlock[][] = []
  for (const block of blocks.filter(({ name }) => name === 'exif')) {
    const last = groups.at(-1)
    if (last === undefined || tiffOfExif(block.data) !== undefined) groups.push([block])
    else last.push(block)
  }
  return groups
}

export function jpegMetadata(bytes: Bytes): FoundMetadata {
  const blocks = blocksOf(bytes, pictureAt(bytes).segments)
  const first = (wanted: JpegBlockName) => blocks.find(({ name }) => name === wanted)?.data
  const [exif] = exifGroups(blocks)
  const photoshop = photoshopGroups(blocks).map((group) => Buffer.concat(group.map(({ data }) => data)))
  return {
    exif: exif && tiffOfExif(Buffer.concat(exif.map(({ data }) => data))),
    xmp: first('xmp'),
    iptc: photoshop.map(iptcOfPhotoshop).find((iptc) => iptc !== undefined),
  }
}
