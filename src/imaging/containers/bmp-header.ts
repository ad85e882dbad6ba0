import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

const FILE_HEADER_BYTES = 14
const CORE_BYTES = 12
const MASKS_AT = 54

export interface BmpHeader {
  width: number
  height: number
  isTopDown: boolean
  bitsPerPixel: number
  compression: 'none' | 'rle8' | 'rle4' | 'masks'
  /** Red, green, blue, alpha; where a pixel is not an index into the palette. */
  masks: [number, number, number, number]
  /** Red, green and blue of each colour. */
  palette: Buffer
  pixelsAt: number
}

/** Reads the headers of Windows (2 to 5) and of OS/2 (1 and 2). */
export function readBmpHeader(bytes: Bytes): BmpHeader {
  const pixelsAt = bytes.read(10, 4).readUInt32LE(0)
  const headerBytes = bytes.read(FILE_HEADER_BYTES, 4).readUInt32LE(0)
  const data = bytes.read(FILE_HEADER_BYTES, Math.min(headerBytes, 124))
  const isCore = headerBytes === CORE_BYTES
  const width = isCore ? data.readUInt16LE(4) : data.readInt32LE(4)
  const signedHeight = isCore ? data.readUInt16LE(6) : data.readInt32LE(8)
  const bitsPerPixel = data.readUInt16LE(isCore ? 10 : 14)
  const code = headerBytes >= 20 ? data.readUInt32LE(16) : 0
  const compression = compressionOf(code, bitsPerPixel, headerBytes)
  if (width <= 0 || signedHeight === 0) throw notDecodable('a BMP file without pixels')

  const header = {
    width,
    height: Math.abs(signedHeight),
    isTopDown: signedHeight < 0,
    bitsPerPixel,
    compression,
    masks: masksOf(bytes, { code, bitsPerPixel, headerBytes }),
    pixelsAt,
  }
  const colours = headerBytes >= 36 ? data.readUInt32LE(32) : 0
  const extraMaskBytes = headerBytes !== 40 ? 0 : code === 3 ? 12 : code === 6 ? 16 : 0
  const paletteAt = FILE_HEADER_BYTES + headerBytes + extraMaskBytes
  const palette =
    bitsPerPixel > 8 ? Buffer.alloc(0) : readPalette(bytes, { paletteAt, colours, header, isCore })
  return { ...header, palette }
}

function compressionOf(code: number, bitsPerPixel: number, headerBytes: number): BmpHeader['compression'] {
  const isOs2 = headerBytes === 64
  if (code === 0 && [1, 2, 4, 8, 16, 24, 32].includes(bitsPerPixel)) return 'none'
  if (code === 1 && bitsPerPixel === 8) return 'rle8'
  if (code === 2 && bitsPerPixel === 4) return 'rle4'
  if ((code === 3 || code === 6) && !isOs2 && (bitsPerPixel === 16 || bitsPerPixel === 32)) return 'masks'
  throw notDecodable(`a BMP file of ${bitsPerPixel} bits, compressed by method ${code}`)
}

type MaskPlace = { code: number; bitsPerPixel: number; headerBytes: number }

function masksOf(bytes: Bytes, { code, bitsPerPixel, headerBytes }: MaskPlace): BmpHeader['masks'] {
  if (code !== 3 && code !== 6) {
    return bitsPerPixel === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0x00ff00, 0x0000ff, 0]
  }
  // They stand behind the shortest header, where longer ones have them inside.
  const masks = bytes.read(MASKS_AT, 12)
  const hasAlpha = headerBytes >= 56 || code === 6
  const alpha = hasAlpha ? bytes.read(MASKS_AT + 12, 4).readUInt32LE(0) : 0
  return [masks.readUInt32LE(0), masks.readUInt32LE(4), masks.readUInt32LE(8), alpha]
}

interface PalettePlace {
  paletteAt: number
  colours: number
  header: Omit<BmpHeader, 'palette'>
  isCore: boolean
}

/** Colours that the file does not have are black. */
function readPalette(bytes: Bytes, { paletteAt, colours, header, isCore }: PalettePlace): Buffer {
  const most = 2 ** header.bitsPerPixel
  const entryBytes = isCore ? 3 : 4
  const room = Math.floor((Math.min(header.pixelsAt, bytes.size) - paletteAt) / entryBytes)
  const count = Math.max(0, Math.min(colours === 0 ? most : colours, most, room))
  const entries = bytes.read(paletteAt, count * entryBytes)
  const palette = Buffer.alloc(most * 3)
  for (let index = 0; index < count; index++) {
    for (let part = 0; part < 3; part++) {
      palette[index * 3 + part] = entries.readUInt8(index * entryBytes + 2 - part)
    }
  }
  return palette
}
