import { type NewEntry, writeTiff } from '../../formats/metadata/exif/tiff-writer.ts'
import type { RawPixels } from './raw-pixels.ts'

const SHORT = 3
const LONG = 4
const UNDEFINED = 7

/** Raw pixels and their colour profile as an uncompressed TIFF, because libvips reads profiles only from files. */
export function wrapWithProfile({ data, width, height, channels }: RawPixels, profile: Buffer): Buffer {
  const isGrey = channels < 3
  const hasAlpha = channels % 2 === 0
  const entries = (stripAt: number): NewEntry[] => [
    numbers(0x0100, LONG, [width]),
    numbers(0x0101, LONG, [height]),
    numbers(0x0102, SHORT, Array(channels).fill(8)),
    numbers(0x0103, SHORT, [1]),
    numbers(0x0106, SHORT, [isGrey ? 1 : 2]),
    numbers(0x0111, LONG, [stripAt]),
    numbers(0x0115, SHORT, [channels]),
    numbers(0x0116, LONG, [height]),
    numbers(0x0117, LONG, [data.length]),
    ...(hasAlpha ? [numbers(0x0152, SHORT, [2])] : []),
    { tag: 0x8773, type: UNDEFINED, count: profile.length, value: profile },
  ]
  const stripAt = writeTiff(entries(0)).length
  return Buffer.concat([writeTiff(entries(stripAt)), data])
}

function numbers(tag: number, type: typeof SHORT | typeof LONG, values: number[]): NewEntry {
  const width = type === LONG ? 4 : 2
  const value = Buffer.alloc(width * values.length)
  for (const [index, number] of values.entries()) value.writeUIntBE(number, index * width, width)
  return { tag, type, count: values.length, value }
}
