import { brandsOf } from '../../../formats/containers/iso/boxes.ts'
import type { PictureKind } from '../kind.ts'
import { heicForDecoder } from './for-decoder.ts'
import { heifParts } from './heif.ts'

const BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1', 'mif2']

export const heic: PictureKind<'heic'> = {
  type: 'image',
  name: 'heic',
  mime: 'image/heic',
  extensions: ['heic', 'heif', 'hif'],
  decoder: { by: 'libheif' },
  shownIn: [],
  variantFormat: 'webp',
  // sharp's build has no HEVC encoder.
  resizedAs: 'webp',

  matches: (head) => brandsOf(head).some((brand) => BRANDS.includes(brand)),
  forDecoder: heicForDecoder,
  ...heifParts,
}
