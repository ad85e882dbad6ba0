import { readBmpHeader } from '../containers/bmp-header.ts'
import type { PictureKind } from './kind.ts'

/** Lengths of the header that comes second; they tell one version of Windows or OS/2 from another. */
const HEADER_BYTES = [12, 16, 40, 48, 52, 56, 64, 108, 124]

export const bmp: PictureKind = {
  name: 'bmp',
  mime: 'image/bmp',
  extensions: ['bmp', 'dib'],
  decodedBy: 'ourselves',
  variantFormat: 'png',
  storedAs: 'png',

  // Two letters alone would take many a text for a picture.
  matches: (head) =>
    head.length >= 26 &&
    head.toString('latin1', 0, 2) === 'BM' &&
    HEADER_BYTES.includes(head.readUInt32LE(14)),
  header: (bytes) => {
    const { width, height } = readBmpHeader(bytes)
    return { width, height, frames: 1 }
  },
  metadata: () => ({}),
  strip: () => [],
}
