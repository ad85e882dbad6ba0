import type { Bytes } from '../containers/bytes.ts'
import { brandsOf } from '../containers/iso-boxes.ts'
import { heifParts } from './heif.ts'
import type { PictureKind } from './kind.ts'

export const avif: PictureKind = {
  name: 'avif',
  mime: 'image/avif',
  extensions: ['avif', 'avifs'],
  decodedBy: 'libvips',
  variantFormat: 'webp',
  // Encoding AVIF takes several times as long as anything else here.
  resizedAs: 'webp',

  matches: (head) => brandsOf(head).some((brand) => brand === 'avif' || brand === 'avis'),
  renamed: asStill,
  ...heifParts,
}

/** An animation begins with a still picture, but libvips looks for that only under its own brand. */
function asStill(bytes: Bytes): Buffer | undefined {
  if (bytes.read(8, 4).toString('latin1') !== 'avis') return undefined
  const file = Buffer.from(bytes.read(0, bytes.size))
  file.write('avif', 8, 'latin1')
  return file
}
