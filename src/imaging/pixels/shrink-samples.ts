import type { ResizeOptions, Sharp } from 'sharp'
import type { Bytes } from '../../formats/containers/bytes.ts'
import type { Header } from '../kinds/kind.ts'
import { asRgb } from '../kinds/tiff.ts'
import { inside } from './layout.ts'
import { openPicture, openRaw, readRaw } from './libvips.ts'
import type { RawPixels } from './raw-pixels.ts'

/** Returns a function that shrinks a TIFF page whose samples libvips would convert wrongly; undefined for all other pages. */
export async function sampleShrinker(
  bytes: Bytes,
  { samples }: Header,
  maxPixels: number,
): Promise<((layout: ResizeOptions) => Promise<Sharp>) | undefined> {
  if (samples === 'lab' || samples === 'icc-lab') {
    const raw = await readRaw(openPicture(asRgb(bytes), maxPixels).autoOrient())
    const pixels = labToSrgb(raw, samples === 'lab')
    return async (layout) => openRaw(pixels).resize(layout)
  }
  if (samples !== 'unsigned-32' && samples !== 'signed-32') return undefined
  const isSigned = samples === 'signed-32'
  const file = bytes.read(0, bytes.size)
  const { space } = await openPicture(file, maxPixels).metadata()
  return async (layout) => {
    const { data, info } = await openPicture(file, maxPixels)
      .autoOrient()
      .resize(inside(layout))
      // Without this libvips converts to sRGB and keeps only the lowest eight bits.
      .toColourspace(space ?? 'b-w')
      .raw({ depth: isSigned ? 'int' : 'uint' })
      .toBuffer({ resolveWithObject: true })
    const channels = info.channels as RawPixels['channels']
    const scaled = toEightBits(samplesOf({ data }, isSigned))
    const picture = openRaw({ data: scaled, width: info.width, height: info.height, channels })
    return layout.fit === 'contain' ? picture.resize(layout) : picture
  }
}

/** XYZ under D50 to linear sRGB, whose white is D65, as Bradford adapts them. */
const TO_RED = [3.1338561, -1.6168667, -0.4906146] as const
const TO_GREEN = [-0.9787684, 1.9161415, 0.033454] as const
const TO_BLUE = [0.0719453, -0.2289914, 1.4052427] as const
const WHITE_D50 = [0.9642, 1, 0.8249] as const

/** The sRGB curve as a table, from linear to eight bits; 8192 steps are finer than the steps of dark colours. */
const CURVE_STEPS = 8192
const CURVE = Uint8Array.from({ length: CURVE_STEPS + 1 }, (_, index) => {
  const value = index / CURVE_STEPS
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055))
})

/** Converts CIE L*a*b* of eight bits to sRGB. a* and b* are signed in the TIFF standard, and offset by 128 in its ICC variant. */
function labToSrgb(pixels: RawPixels, isSigned: boolean): RawPixels {
  const { data, channels } = pixels
  const target = Buffer.from(data)
  const zero = isSigned ? 0 : 128
  for (let at = 0; at + 2 < data.length; at += channels) {
    const lightness = ((data[at] ?? 0) * 100) / 255
    const [a, b] = [colourOf(data[at + 1] ?? 0, zero), colourOf(data[at + 2] ?? 0, zero)]
    const y = (lightness + 16) / 116
    const [x1, y1, z1] = [cube(y + a / 500), cube(y), cube(y - b / 200)]
    const [x, z] = [x1 * WHITE_D50[0], z1 * WHITE_D50[2]]
    target[at] = eightBits(TO_RED[0] * x + TO_RED[1] * y1 + TO_RED[2] * z)
    target[at + 1] = eightBits(TO_GREEN[0] * x + TO_GREEN[1] * y1 + TO_GREEN[2] * z)
    target[at + 2] = eightBits(TO_BLUE[0] * x + TO_BLUE[1] * y1 + TO_BLUE[2] * z)
  }
  return { ...pixels, data: target }
}

const colourOf = (byte: number, zero: number) => (zero === 0 ? (byte << 24) >> 24 : byte - zero)

const cube = (value: number) => (value > 6 / 29 ? value ** 3 : 3 * (6 / 29) ** 2 * (value - 4 / 29))

const eightBits = (linear: number) => CURVE[Math.round(Math.min(Math.max(linear, 0), 1) * CURVE_STEPS)] ?? 0

/**
 * Scales integers of 32 bits to eight, from the smallest (at most zero) to the greatest value of the picture. The unit is known
 * only to the instrument that wrote them, and few instruments use the full range.
 */
function toEightBits(samples: Uint32Array | Int32Array): Buffer {
  let [least, most] = [0, 0]
  for (const sample of samples) {
    if (sample < least) least = sample
    if (sample > most) most = sample
  }
  const factor = most === least ? 0 : 255 / (most - least)
  const bytes = Buffer.allocUnsafe(samples.length)
  for (let index = 0; index < samples.length; index++) {
    bytes[index] = Math.round(((samples[index] ?? 0) - least) * factor)
  }
  return bytes
}

/** Raw bytes as integers of four bytes, in the machine's byte order. */
function samplesOf({ data }: Pick<RawPixels, 'data'>, isSigned: boolean): Uint32Array | Int32Array {
  // A copy, because a typed array must begin at a multiple of four bytes.
  const { buffer } = Uint8Array.from(data)
  return isSigned ? new Int32Array(buffer) : new Uint32Array(buffer)
}
