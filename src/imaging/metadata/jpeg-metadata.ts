import type { Bytes } from '../containers/bytes.ts'
import { JPEG, type JpegSegment, segmentsOf } from '../containers/jpeg-segments.ts'
import type { FoundMetadata } from '../kinds/kind.ts'
import { tiffOfExif } from './exif.ts'
import { iptcOfPhotoshop } from './photoshop.ts'

export const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')
export const XMP_PREFIX = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1')
export const EXTENSION_PREFIX = Buffer.from('http://ns.adobe.com/xmp/extension/\0', 'latin1')
export const PHOTOSHOP_PREFIX = Buffer.from('Photoshop 3.0\0', 'latin1')

const APP13 = JPEG.app0 + 13

/** The data of the segments that begin with a prefix, without it. */
export function findBlocks(bytes: Bytes, segments: readonly JpegSegment[], prefix: Buffer) {
  const marker = prefix === PHOTOSHOP_PREFIX ? APP13 : JPEG.app1
  return segments.flatMap((segment) => {
    const { dataAt, end } = segment
    if (segment.marker !== marker || end - dataAt < prefix.length) return []
    const data = bytes.read(dataAt, end - dataAt)
    const isOne = data.subarray(0, prefix.length).equals(prefix)
    return isOne ? [{ at: dataAt + prefix.length, end, data: data.subarray(prefix.length) }] : []
  })
}

export function jpegMetadata(bytes: Bytes): FoundMetadata {
  const segments = segmentsOf(bytes)
  const first = (prefix: Buffer) => findBlocks(bytes, segments, prefix)[0]?.data
  const exif = first(EXIF_PREFIX)
  const photoshop = first(PHOTOSHOP_PREFIX)
  return {
    exif: exif && tiffOfExif(exif),
    xmp: first(XMP_PREFIX),
    iptc: photoshop && iptcOfPhotoshop(photoshop),
  }
}
