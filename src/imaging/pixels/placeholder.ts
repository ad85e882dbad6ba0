import { rgbaToThumbHash } from 'thumbhash'
import type { RawPixels } from './raw-pixels.ts'

/** A hash has at most seven waves a side, so more pixels would cost time and change nothing. */
const MAX_SIDE = 32
/** Of each pixel of the small picture, in both directions. */
const SAMPLES = 3

/** A thumbhash in Base64: what is shown of a picture before its bytes are there. */
export function placeholderOf(pixels: RawPixels): string {
  const scale = Math.min(1, MAX_SIDE / Math.max(pixels.width, pixels.height))
  const [width, height] = [pixels.width, pixels.height].map((side) => Math.max(1, Math.round(side * scale)))
  const small = sampled(pixels, width as number, height as number)
  return Buffer.from(rgbaToThumbHash(width as number, height as number, small)).toString('base64')
}

/** RGBA, each pixel the mean of nine: a tenth of the time that a pipeline of libvips takes to begin. */
function sampled(pixels: RawPixels, width: number, height: number): Float64Array {
  const small = new Float64Array(width * height * 4)
  const columns = positions(pixels.width, width)
  const rows = positions(pixels.height, height)
  for (const [y, row] of rows.entries()) {
    for (const [x, column] of columns.entries()) {
      const cell = Math.floor(y / SAMPLES) * width + Math.floor(x / SAMPLES)
      addPixel(small, cell * 4, pixels, row * pixels.width + column)
    }
  }
  return straightened(small)
}

/** Where the samples of a side lie, evenly spread. */
const positions = (side: number, cells: number): number[] =>
  Array.from({ length: cells * SAMPLES }, (_, at) => Math.floor(((at + 0.5) * side) / (cells * SAMPLES)))

/** Colours count as much as they are opaque. */
function addPixel(sums: Float64Array, to: number, { data, channels }: RawPixels, pixel: number): void {
  const at = pixel * channels
  const isColoured = channels >= 3
  const alpha = channels === 2 || channels === 4 ? (data[at + channels - 1] ?? 255) : 255
  for (let channel = 0; channel < 3; channel += 1)
    sums[to + channel] = (sums[to + channel] ?? 0) + (data[at + (isColoured ? channel : 0)] ?? 0) * alpha
  sums[to + 3] = (sums[to + 3] ?? 0) + alpha
}

/** From sums of colours times alpha to means. */
function straightened(sums: Float64Array): Float64Array {
  return sums.map((value, at) => {
    const alpha = sums[at | 3] ?? 0
    if (at % 4 === 3) return alpha / SAMPLES ** 2
    return alpha === 0 ? 0 : value / alpha
  })
}
