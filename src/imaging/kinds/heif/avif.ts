import { brandsOf } from '../../../formats/containers/iso/boxes.ts'
import type { PictureKind } from '../kind.ts'
import { avifForDecoder } from './for-decoder.ts'
import { heifParts } from './heif.ts'

export const avif: PictureKind<'avif'> = {
  type: 'image',
  name: 'avif',
  mime: 'image/avif',
  extensions: ['avif', 'avifs'],
  decoder: { by: 'libvips', loader: 'Heif', format: 'heif' },
  shownIn: ['browsers'],
  variantFormat: 'webp',
  // There is no encoder here: encoding AVIF takes several times as long as WebP.
  resizedAs: 'webp',

  matches: (head) => brandsOf(head).some((brand) => brand === 'avif' || brand === 'avis'),
  forDecoder: avifForDecoder,
  ...heifParts,
}
