import type { Bytes } from '../../containers/bytes.ts'
import { JPEG, type JpegSegment, segmentsOf } from '../../containers/jpeg-segments.ts'
import { exifPrefixBytes, tiffOfExif } from '../exif/exif.ts'
import type { FoundMetadata } from '../found-metadata.ts'
import { iptcOfPhotoshop } from '../photoshop.ts'

export const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

const APP13 = JPEG.app0 + 13
const APP15 = JPEG.app0 + 15
/** The name is followed by the number of this chunk and of the last one. */
const FLIR_PREFIX_BYTES = 8

export type JpegBlockName = 'exif' | 'xmp' | 'extension' | 'photoshop' | 'flir' | 'known' | 'unknown'

/** The content of an application segment, without the prefix that identifies it. */
export interface JpegBlock {
  name: JpegBlockName
  at: number
  end: number
  data: Buffer
}

const PREFIXES: readonly { name: JpegBlockName; marker: number; prefix: string; skip?: number }[] = [
  { name: 'xmp', marker: JPEG.app1, prefix: 'http://ns.adobe.com/xap/1.0/\0' },
  { name: 'extension', marker: JPEG.app1, prefix: 'http://ns.adobe.com/xmp/extension/\0' },
  { name: 'flir', marker: JPEG.app1, prefix: 'FLIR\0', skip: FLIR_PREFIX_BYTES },
  { name: 'photoshop', marker: APP13, prefix: 'Photoshop 3.0\0' },
  // Colour profile, index of appended pictures, colour transform: never a location.
  { name: 'known', marker: JPEG.app0 + 2, prefix: 'ICC_PROFILE\0' },
  { name: 'known', marker: JPEG.app0 + 2, prefix: 'MPF\0' },
  { name: 'known', marker: JPEG.app0 + 14, prefix: 'Adobe' },
]

/** The application segments of a picture. */
export function blocksOf(bytes: Bytes, segments: readonly JpegSegment[]): JpegBlock[] {
  return segments
    .filter(({ marker }) => marker > JPEG.app0 && marker <= APP15)
    .map(({ marker, dataAt, end }) => {
      const data = bytes.read(dataAt, end - dataAt)
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
  const blocks = blocksOf(bytes, segmentsOf(bytes))
  const first = (wanted: JpegBlockName) => blocks.find(({ name }) => name === wanted)?.data
  const [exif] = exifGroups(blocks)
  const photoshop = first('photoshop')
  return {
    exif: exif && tiffOfExif(Buffer.concat(exif.map(({ data }) => data))),
    xmp: first('xmp'),
    iptc: photoshop && iptcOfPhotoshop(photoshop),
  }
}
