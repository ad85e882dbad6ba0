import type { Bytes } from '../../formats/containers/bytes.ts'
import type { Edit } from '../../formats/containers/edits.ts'
import { pictureAt, segmentsOf } from '../../formats/containers/jpeg-segments.ts'
import { jpegMetadata } from '../../formats/metadata/jpeg/blocks.ts'
import { jpegLocationEdits, jpegMetadataEdits } from '../../formats/metadata/jpeg/strip-jpeg.ts'
import { cleaners } from '../../formats/metadata/unknown-block.ts'
import { notDecodable } from '../errors.ts'
import type { Header, PictureKind } from './kind.ts'
import { jpegTrailerEdits } from './trailer.ts'

export const jpeg: PictureKind<'jpeg'> = {
  type: 'image',
  name: 'jpeg',
  mime: 'image/jpeg',
  extensions: ['jpeg', 'jpg', 'jpe', 'jfif'],
  decoder: { by: 'libvips', loader: 'Jpeg', format: 'jpeg' },
  shownIn: ['browsers', 'link-previews'],
  variantFormat: 'jpeg',
  resizedAs: 'jpeg',

  matches: (head) => head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff,
  header: readHeader,
  metadata: jpegMetadata,
  strip: (bytes, policy, orientation) =>
    policy === 'strip_location' ? locationEdits(bytes) : jpegMetadataEdits(bytes, orientation),
}

function locationEdits(bytes: Bytes): Edit[] {
  const picture = pictureAt(bytes)
  return [...jpegLocationEdits(bytes, picture, cleaners), ...jpegTrailerEdits(bytes, picture)]
}

function readHeader(bytes: Bytes): Header {
  const frame = segmentsOf(bytes).find(({ marker }) => isStartOfFrame(marker))
  if (frame === undefined) throw notDecodable('no frame header')
  const data = bytes.read(frame.dataAt, 5)
  return { height: data.readUInt16BE(1), width: data.readUInt16BE(3), frames: 1 }
}

/** C0 to CF, without the Huffman tables (C4), the reserved marker (C8) and the arithmetic coding tables (CC). */
const isStartOfFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
