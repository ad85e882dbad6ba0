import type { Bytes } from '../containers/bytes.ts'
import { JPEG, segmentsOf } from '../containers/jpeg-segments.ts'
import { notDecodable } from '../errors.ts'
import { jpegMetadata } from '../metadata/jpeg-metadata.ts'
import { jpegLocationEdits, jpegMetadataEdits } from '../metadata/jpeg-strip.ts'
import type { Header, PictureKind } from './kind.ts'

export const jpeg: PictureKind = {
  name: 'jpeg',
  mime: 'image/jpeg',
  extensions: ['jpeg', 'jpg', 'jpe', 'jfif'],
  decodedBy: 'libvips',
  variantFormat: 'jpeg',

  matches: (head) => head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff,
  header: readHeader,
  metadata: jpegMetadata,
  strip: (bytes, policy, orientation) =>
    policy === 'strip_location' ? jpegLocationEdits(bytes) : jpegMetadataEdits(bytes, orientation),
}

function readHeader(bytes: Bytes): Header {
  const segments = segmentsOf(bytes)
  const frame = segments.find(({ marker }) => isStartOfFrame(marker))
  if (frame === undefined) throw notDecodable('no frame header')
  const data = bytes.read(frame.dataAt, 6)
  const [bits, channels] = [data.readUInt8(0), data.readUInt8(5)]
  // Which way is up is told there, if anywhere.
  const hasExif = segments.some(({ marker }) => marker === JPEG.app1)
  return {
    ...{ height: data.readUInt16BE(1), width: data.readUInt16BE(3), frames: 1 },
    ...(bits === 8 && !hasExif && { upright: { bits, channels } }),
  }
}

/** All of C0 to CF but the tables for Huffman and arithmetic coding and a reserved one. */
const isStartOfFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
