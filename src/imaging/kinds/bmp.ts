import { readBmpHeader } from '../../formats/containers/bmp-header.ts'
import type { PictureKind } from './kind.ts'

/** Lengths of the DIB header; each version of Windows and OS/2 has its own. */
const HEADER_BYTES = [12, 16, 40, 48, 52, 56, 64, 108, 124]

export const bmp: PictureKind<'bmp'> = {
  type: 'image',
  name: 'bmp',
  mime: 'image/bmp',
  extensions: ['bmp', 'dib'],
  decoder: { by: 'own-code' },
  shownIn: ['browsers'],
  variantFormat: 'png',
  resizedAs: 'png',
  storedAs: 'png',

  // "BM" alone also begins ordinary text.
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
