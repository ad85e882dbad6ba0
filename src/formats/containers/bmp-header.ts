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
  /** Red, green, blue, alpha; unused if pixels are indexes into the palette. */
  masks: [number, number, number, number]
  /** Three bytes for each colour: red, green, blue. */
  palette: Buffer
  pixelsAt: number
}

/** Reads the DIB headers of Windows (2 to 5) and of OS/2 (1 and 2). */
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
  const most = bitsPerPixel > 8 ? 0 : 2 ** bitsPerPixel
  const paletteBytes = Math.min(colours === 0 ? most : colours, most) * (isCore ? 3 : 4)
  const corrected = { ...header, pixelsAt: findPixels(bytes, header, paletteAt, paletteBytes) }
  const palette =
    bitsPerPixel > 8 ? Buffer.alloc(0) : readPalette(bytes, { paletteAt, colours, header: corrected, isCore })
  return { ...corrected, palette }
}

/** Rows are padded to a multiple of four bytes, but the padding of the last row may be missing. */
const MAX_PADDING_BYTES = 3

/**
 * The offset of the pixels. Some files have a wrong one: pixels cannot begin within the header, nor within the palette unless
 * they end with the file. If the offset is wrong, the offset after the palette is used if the pixels then end with the file.
 */
function findPixels(
  bytes: Bytes,
  header: Omit<BmpHeader, 'palette'>,
  paletteAt: number,
  paletteBytes: number,
): number {
  const { width, height, bitsPerPixel, compression, pixelsAt } = header
  const afterPalette = paletteAt + paletteBytes
  if (pixelsAt >= afterPalette) return pixelsAt
  const isPacked = compression === 'rle8' || compression === 'rle4'
  const length = isPacked ? undefined : Math.ceil((width * bitsPerPixel) / 32) * 4 * height
  const endsWithFile = (at: number) =>
    length !== undefined && at + length >= bytes.size && at + length - MAX_PADDING_BYTES <= bytes.size
  const isTooLong = length !== undefined && afterPalette + length - MAX_PADDING_BYTES > bytes.size
  // The palette is shorter than its maximum, and its count is missing.
  if (pixelsAt > paletteAt && (isPacked || isTooLong || endsWithFile(pixelsAt))) return pixelsAt
  if (endsWithFile(afterPalette)) return afterPalette
  throw notDecodable(`the offset of the pixels is ${pixelsAt}, within the header or palette`)
}

function compressionOf(code: number, bitsPerPixel: number, headerBytes: number): BmpHeader['compression'] {
  const isOs2 = headerBytes === 64
  if (code === 0 && [1, 2, 4, 8, 16, 24, 32].includes(bitsPerPixel)) return 'none'
  if (code === 1 && bitsPerPixel === 8) return 'rle8'
  if (code === 2 && bitsPerPixel === 4) return 'rle4'
  if ((code === 3 || code === 6) && !isOs2 && (bitsPerPixel === 16 || bitsPerPixel === 32)) return 'masks'
  throw notDecodable(`a BMP file of ${bitsPerPixel} bits, compressed by method ${code}`)
}

type MaskSource = { code: number; bitsPerPixel: number; headerBytes: number }

function masksOf(bytes: Bytes, { code, bitsPerPixel, headerBytes }: MaskSource): BmpHeader['masks'] {
  if (code !== 3 && code !== 6) {
    return bitsPerPixel === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0x00ff00, 0x0000ff, 0]
  }
  // They follow the header of 40 bytes; longer headers have them at that same offset.
  const masks = bytes.read(MASKS_AT, 12)
  const hasAlpha = headerBytes >= 56 || code === 6
  const alpha = hasAlpha ? bytes.read(MASKS_AT + 12, 4).readUInt32LE(0) : 0
  return [masks.readUInt32LE(0), masks.readUInt32LE(4), masks.readUInt32LE(8), alpha]
}

interface PaletteSource {
  paletteAt: number
  colours: number
  header: Omit<BmpHeader, 'palette'>
  isCore: boolean
}

/** Missing colours are black. */
function readPalette(bytes: Bytes, { paletteAt, colours, header, isCore }: PaletteSource): Buffer {
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
