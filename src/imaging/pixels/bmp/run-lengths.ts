import type { BmpHeader } from '../../../formats/containers/bmp-header.ts'
import type { Bytes } from '../../../formats/containers/bytes.ts'
import { notDecodable } from '../../errors.ts'
import type { RawPixels } from '../raw-pixels.ts'

const END_OF_LINE = 0
const END_OF_PICTURE = 1
const MOVE = 2

/** Decodes RLE8 and RLE4: runs of one index (in RLE4 of two alternating ones), literal runs, and jumps that leave pixels transparent. */
export function readRunLengths(bytes: Bytes, header: BmpHeader): RawPixels {
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
