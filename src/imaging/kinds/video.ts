import { checkSegment, dateOfSegment, docTypeOf, endOfElements } from '../../formats/containers/ebml-head.ts'
import { boxesIn, brandsOf } from '../../formats/containers/iso/boxes.ts'
import { creationOfVideo } from '../../formats/containers/iso/creation-time.ts'
import type { VideoKind } from './kind.ts'

/** Brands of videos; pictures and audio in ISO base media files have other brands. */
const BRANDS =
  /^(?:iso[m2-9]|mp4[12]|mp71|avc1|hvc1|hev1|av01|M4V[ HP]|MSNV|f4v |F4V |dash|cmfc|3g[2egrs][\da-z])$/

/** Major brands of raw photos, JPEG 2000 and audio: such files also list a general brand of videos. */
const NOT_VIDEO = /^(?:crx |jp[2mx] |mjp2|M4[ABP] |F4[ABP] )$/

export const mp4: VideoKind<'mp4'> = {
  type: 'video',
  name: 'mp4',
  mime: 'video/mp4',
  extensions: ['mp4', 'm4v'],
  demuxer: 'mov',
  parser: 'MP4',

  matches: (head) => {
    const [major = '', ...compatible] = brandsOf(head)
    return !NOT_VIDEO.test(major) && [major, ...compatible].some((brand) => BRANDS.test(brand))
  },
  // Throws if the file is truncated: then a box ends after the end of the file.
  verify: (bytes) => void boxesIn(bytes, 0, bytes.size),
  createdAt: creationOfVideo,
}

/** First atoms of QuickTime files that were written before brands existed. */
const FIRST_ATOMS = ['moov', 'mdat', 'wide']
/** Plain words, which text may contain at this offset; a file with such an atom begins with a zero byte. */
const SMALL_ATOMS = ['free', 'skip', 'pnot']

export const mov: VideoKind<'mov'> = {
  type: 'video',
  name: 'mov',
  mime: 'video/quicktime',
  extensions: ['mov', 'qt'],
  demuxer: 'mov',
  parser: 'QTFF',

  matches: (head) => brandsOf(head)[0] === 'qt  ' || hasNoBrands(head),
  verify: (bytes) => void boxesIn(bytes, 0, bytes.size),
  createdAt: creationOfVideo,
}

function hasNoBrands(head: Buffer): boolean {
  const atom = head.toString('latin1', 4, 8)
  return FIRST_ATOMS.includes(atom) || (head[0] === 0 && SMALL_ATOMS.includes(atom))
}

export const webm: VideoKind<'webm'> = {
  type: 'video',
  name: 'webm',
  mime: 'video/webm',
  extensions: ['webm'],
  demuxer: 'matroska',
  parser: 'WEBM',

  matches: (head) => docTypeOf(head) === 'webm',
  verify: checkSegment,
  readableEnd: endOfElements,
  createdAt: dateOfSegment,
}
