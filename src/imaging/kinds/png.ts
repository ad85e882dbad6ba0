import type { Bytes } from '../../formats/containers/bytes.ts'
import { chunksOf, dataOf, hasRightSum, PNG_SIGNATURE } from '../../formats/containers/png-chunks.ts'
import { pngLocationEdits, pngMetadata, pngMetadataEdits } from '../../formats/metadata/png/strip-png.ts'
import { notDecodable } from '../errors.ts'
import type { Header, PictureKind } from './kind.ts'

export const png: PictureKind<'png'> = {
  type: 'image',
  name: 'png',
  mime: 'image/png',
  extensions: ['png', 'apng'],
  decoder: { by: 'libvips', loader: 'Png', format: 'png' },
  shownIn: ['browsers', 'link-previews'],
  variantFormat: 'png',
  resizedAs: 'png',

  matches: (head) => head.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE),
  header: readHeader,
  verify: verifyAnimation,
  metadata: pngMetadata,
  strip: (bytes, policy, orientation) =>
    policy === 'strip_location' ? pngLocationEdits(bytes) : pngMetadataEdits(bytes, orientation),
}

function readHeader(bytes: Bytes): Header {
  const [first, ...chunks] = chunksOf(bytes)
  if (first?.type !== 'IHDR' || first.dataEnd - first.dataAt !== 13) throw notDecodable('no PNG header')
  const data = dataOf(bytes, first)
  const control = chunks.find(({ type }) => type === 'acTL' || type === 'IDAT')
  const isAnimated = control?.type === 'acTL' && control.dataEnd - control.dataAt === 8
  const frames = isAnimated ? Math.max(1, dataOf(bytes, control).readUInt32BE(0)) : 1
  return { width: data.readUInt32BE(0), height: data.readUInt32BE(4), frames }
}

/** libvips reads only the first picture of an APNG, so the frames of the animation are checked here. */
function verifyAnimation(bytes: Bytes): void {
  const { frames } = readHeader(bytes)
  if (frames === 1) return
  const parts = chunksOf(bytes).filter(({ type }) => type === 'fcTL' || type === 'fdAT')
  if (parts.filter(({ type }) => type === 'fcTL').length !== frames) throw notDecodable('frames are missing')
  parts.forEach((part, index) => {
    if (!hasRightSum(bytes, part)) throw notDecodable('a frame is damaged')
    if (dataOf(bytes, part).readUInt32BE(0) !== index) throw notDecodable('frames are out of order')
  })
}
