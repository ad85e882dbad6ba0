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
