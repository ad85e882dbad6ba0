import { notDecodable } from '../../errors.ts'
import type { RawPixels } from '../raw-pixels.ts'

interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** The given area of a picture; the whole picture if there is none. */
export function cropPixels(pixels: RawPixels, area: Area | undefined): RawPixels {
  if (area === undefined) return pixels
  const { left, top, width, height } = area
  if (left + width > pixels.width || top + height > pixels.height)
    throw notDecodable('a crop that extends beyond the picture')
  const rowBytes = width * pixels.channels
  const data = Buffer.allocUnsafe(rowBytes * height)
  for (let row = 0; row < height; row++) {
    const at = ((top + row) * pixels.width + left) * pixels.channels
    data.set(pixels.data.subarray(at, at + rowBytes), row * rowBytes)
  }
  return { ...pixels, data, width, height }
}
