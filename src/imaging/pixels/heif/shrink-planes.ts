import type { HevcTiles } from '../../kinds/heif/tiles.ts'
import { openRaw, readRaw } from '../libvips.ts'
import type { RawPixels } from '../raw-pixels.ts'
import type { Planes } from './hevc-planes.ts'

type Box = { width?: number; height?: number }

/** The weights of red and blue in luma, by the matrix number of H.273. */
const WEIGHTS: Record<number, readonly [red: number, blue: number]> = {
  1: [0.2126, 0.0722],
  2: [0.299, 0.114],
  5: [0.299, 0.114],
  6: [0.299, 0.114],
  9: [0.2627, 0.0593],
}

export const knowsMatrix = (matrix: number): boolean => matrix in WEIGHTS

/** The size after the rotation. */
export function uprightSize({ width, height }: Planes, turns: HevcTiles['turns']) {
  return isOnItsSide(turns) ? { width: height, height: width } : { width, height }
}

/** The upright picture, no larger than the box. The planes are shrunk before the conversion to RGB, which then has few pixels to convert. */
export async function shrinkPlanes(planes: Planes, turns: HevcTiles['turns'], box: Box): Promise<RawPixels> {
  const { width, height } = planes
  const [most, high] = isOnItsSide(turns) ? [box.height, box.width] : [box.width, box.height]
  const scale = Math.min((most ?? width) / width, (high ?? height) / height, 1)
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  }
  const small: Uint8Array[] = []
  for (const [number, data] of planes.planes.entries()) {
    const half = number === 0 ? 1 : 2
    const plane = {
      data,
      width: Math.ceil(width / half),
      height: Math.ceil(height / half),
      channels: 1,
    } as const
    const resized = openRaw(plane)
      .resize({ ...size, fit: 'fill' })
      .toColourspace('b-w')
    small.push((await readRaw(resized)).data)
  }
  const [luma, blue, red] = small as [Uint8Array, Uint8Array, Uint8Array]
  const data = toRgb(luma, blue, red, planes)
  return turned({ ...size, channels: 3, data }, turns)
}

function toRgb(ys: Uint8Array, blues: Uint8Array, reds: Uint8Array, { matrix, isFullRange }: Planes): Buffer {
  const [redWeight, blueWeight] = WEIGHTS[matrix] ?? [0.299, 0.114]
  const greenWeight = 1 - redWeight - blueWeight
  const [black, range, colourRange] = isFullRange ? [0, 255, 255] : [16, 219, 224]
  const target = new Uint8ClampedArray(ys.length * 3)
  const [forRed, forBlue] = [
    (2 * (1 - redWeight) * 255) / colourRange,
    (2 * (1 - blueWeight) * 255) / colourRange,
  ]
  for (let at = 0; at < ys.length; at++) {
    const y = (((ys[at] ?? 0) - black) * 255) / range
    const [b, r] = [((blues[at] ?? 0) - 128) * forBlue, ((reds[at] ?? 0) - 128) * forRed]
    target[at * 3] = y + r
    target[at * 3 + 1] = y - (redWeight * r + blueWeight * b) / greenWeight
    target[at * 3 + 2] = y + b
  }
  return Buffer.from(target.buffer)
}

const isOnItsSide = (turns: HevcTiles['turns']) =>
  turns.reduce((sum, turn) => sum + ('quarters' in turn ? turn.quarters : 0), 0) % 2 === 1

/** One pipeline for each step, because libvips reorders rotations and mirrors within a pipeline. */
async function turned(pixels: RawPixels, turns: HevcTiles['turns']): Promise<RawPixels> {
  let upright = pixels
  for (const turn of turns) {
    const picture = openRaw(upright)
    if (!('quarters' in turn)) upright = await readRaw(turn.isSideways ? picture.flop() : picture.flip())
    // `quarters` is counter-clockwise, `rotate` clockwise.
    else if (turn.quarters > 0) upright = await readRaw(picture.rotate(360 - 90 * turn.quarters))
  }
  return upright
}
