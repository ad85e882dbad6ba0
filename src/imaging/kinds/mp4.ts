import { boxesIn, brandsOf } from '../containers/iso-boxes.ts'
import { creationOfMovie } from '../containers/movie-creation.ts'
import type { VideoKind } from './kind.ts'

/** Brands of films; pictures and sound of the same family have others. */
const BRANDS =
  /^(?:iso[m2-9]|mp4[12]|mp71|avc1|hvc1|hev1|av01|M4V[ HP]|MSNV|f4v |F4V |dash|cmfc|3g[2egrs][\da-z])$/

/** They name a general brand of films too, and are none. */
const OTHERS = /^(?:crx |jp[2mx] |mjp2|M4[ABP] |F4[ABP] )$/

export const mp4: VideoKind = {
  name: 'mp4',
  mime: 'video/mp4',
  extensions: ['mp4', 'm4v'],
  decodedBy: 'ffmpeg',
  demuxer: 'mov',

  matches: (head) => {
    const [major = '', ...compatible] = brandsOf(head)
    return !OTHERS.test(major) && [major, ...compatible].some((brand) => BRANDS.test(brand))
  },
  // What is cut off stands beyond the end.
  verify: (bytes) => void boxesIn(bytes, 0, bytes.size),
  createdAt: creationOfMovie,
}
