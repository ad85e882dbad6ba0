import { brandsOf } from '../containers/iso-boxes.ts'
import { heifParts } from './heif.ts'
import type { PictureKind } from './kind.ts'

const BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1', 'mif2']

export const heic: PictureKind = {
  name: 'heic',
  mime: 'image/heic',
  extensions: ['heic', 'heif', 'hif'],
  decodedBy: 'libheif',
  variantFormat: 'webp',
  // There is no encoder.
  resizedAs: 'webp',

  // The general brands stand in AVIF files too, which are asked first.
  matches: (head) => brandsOf(head).some((brand) => BRANDS.includes(brand)),
  ...heifParts,
}
