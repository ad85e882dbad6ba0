import { type BmpHeader, readBmpHeader } from '../../formats/containers/bmp-header.ts'
import type { Bytes } from '../../formats/containers/bytes.ts'
import { notDecodable } from '../errors.ts'
import type { RawPixels } from './raw-pixels.ts'

const MAX_READ_BYTES = 1_048_576

export function decodeBmp(bytes: Bytes): RawPixels {
  const header = readBmpHeader(bytes)
  if (header.compression === 'rle8' || header.compression === 'rle4') return readRunLengths(bytes, header)
  const channels = header.masks[3] === 0 ? 3 : 4
  const data = Buffer.alloc(header.width * header.height * channels)
  const convert = rowConverter(header)
  eachRow(bytes, header, (row, y) => convert(row, data, y * header.width * channels))
  if (channels === 4) makeOpaqueIfInvisible(data)
  return { data, width: header.width, height: header.height, channels }
}

/** Rows are stored bottom-up unless the height is negative, each padded to a multiple of four bytes. */
function eachRow(bytes: Bytes, header: BmpHeader, use: (row: Buffer, y: number) => void): void {
  const { width, height, bitsPerPixel, pixelsAt, isTopDown } = header
  const usedBytes = Math.ceil((width * bitsPerPixel) / 8)
  const rowBytes = Math.ceil((width * bitsPerPixel) / 32) * 4
  const rowsPerRead = Math.max(1, Math.floor(MAX_READ_BYTES / rowBytes))
  for (let first = 0; first < height; first += rowsPerRead) {
    const count = Math.min(rowsPerRead, height - first)
    // The padding of the last row may be missing.
    const rows = bytes.read(pixelsAt + first * rowBytes, (count - 1) * rowBytes + usedBytes)
    for (let index = 0; index < count; index++) {
      const y = isTopDown ? first + index : height - 1 - first - index
      use(rows.subarray(index * rowBytes, index * rowBytes + usedBytes), y)
    }
  }
}

type ConvertRow = (row: Buffer, target: Buffer, at: number) => void

function rowConverter(header: BmpHeader): ConvertRow {
  if (header.bitsPerPixel <= 8) return indexedRow(header)
  if (header.bitsPerPixel === 24) return swappedRow
  return maskedRow(header)
}

function indexedRow({ width, bitsPerPixel, palette }: BmpHeader): ConvertRow {
  const perByte = 8 / bitsPerPixel
  const mask = 2 ** bitsPerPixel - 1
  return (row, target, at) => {
    for (let x = 0; x < width; x++) {
      const byte = row[Math.floor(x / perByte)] ?? 0
      const index = (byte >> (8 - bitsPerPixel * ((x % perByte) + 1))) & mask
      for (let part = 0; part < 3; part++) target[at + x * 3 + part] = palette[index * 3 + part] ?? 0
    }
  }
}

const swappedRow: ConvertRow = (row, target, at) => {
  for (let byte = 0; byte + 2 < row.length; byte += 3) {
    target[at + byte] = row[byte + 2] ?? 0
    target[at + byte + 1] = row[byte + 1] ?? 0
    target[at + byte + 2] = row[byte] ?? 0
  }
}

function maskedRow({ width, bitsPerPixel, masks }: BmpHeader): ConvertRow {
  const used = masks[3] === 0 ? masks.slice(0, 3) : masks
  const scales = used.map(scaleOf)
  const pixelBytes = bitsPerPixel / 8
  return (row, target, at) => {
    let next = at
    for (let x = 0; x < width; x++) {
      const pixel = pixelBytes === 2 ? row.readUInt16LE(x * 2) : row.readUInt32LE(x * 4)
      for (const { mask, shift, factor } of scales) {
        target[next++] = Math.round(((pixel & mask) >>> shift) * factor)
      }
    }
  }
}

/** How to scale a channel of any width to eight bits. */
function scaleOf(mask: number): { mask: number; shift: number; factor: number } {
  if (mask === 0) return { mask, shift: 0, factor: 0 }
  const shift = 31 - Math.clz32(mask & -mask)
  const highest = mask >>> shift
  if ((highest & (highest + 1)) !== 0) throw notDecodable('a colour mask that is not contiguous')
  return { mask, shift, factor: 255 / highest }
}

/** Programs that ignore alpha write zero in every pixel: such a picture is meant to be opaque. */
function makeOpaqueIfInvisible(data: Buffer): void {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return
  for (let at = 3; at < data.length; at += 4) data[at] = 255
}

const END_OF_LINE = 0
const END_OF_PICTURE = 1
const MOVE = 2

/** Decodes RLE8 and RLE4: runs of one index (in RLE4 of two alternating ones), literal runs, and jumps that leave pixels transparent. */
function readRunLengths(bytes: Bytes, header: BmpHeader): RawPixels {
  const { width, height, palette, isTopDown } = header
  const data = Buffer.alloc(width * height * 4)
  const isNarrow = header.compression === 'rle4'
  let at = header.pixelsAt
  let x = 0
  let y = 0

  const put = (index: number) => {
    if (y >= height) throw notDecodable('more pixels than the picture has')
    // Pixels beyond the right edge are dropped, as other decoders do.
    if (x < width) {
      const target = ((isTopDown ? y : height - 1 - y) * width + x) * 4
      for (let part = 0; part < 3; part++) data[target + part] = palette[index * 3 + part] ?? 0
      data[target + 3] = 255
    }
    x++
  }
  const nibble = (byte: number, position: number) => (position % 2 === 0 ? byte >> 4 : byte & 0x0f)

  for (;;) {
    // Some complete files have no end-of-bitmap code.
    if (at >= bytes.size && (y >= height || (y === height - 1 && x >= width))) break
    const [count = 0, value = 0] = bytes.read(at, 2)
    at += 2
    if (count > 0) {
      for (let index = 0; index < count; index++) put(isNarrow ? nibble(value, index) : value)
    } else if (value === END_OF_PICTURE) {
      break
    } else if (value === END_OF_LINE) {
      x = 0
      y++
    } else if (value === MOVE) {
      const [right = 0, down = 0] = bytes.read(at, 2)
      at += 2
      x += right
      y += down
    } else {
      const literal = bytes.read(at, isNarrow ? Math.ceil(value / 2) : value)
      for (let index = 0; index < value; index++) {
        put(isNarrow ? nibble(literal.readUInt8(index >> 1), index) : literal.readUInt8(index))
      }
      at += literal.length + (literal.length % 2)
    }
  }
  return { data, width, height, channels: 4 }
}
