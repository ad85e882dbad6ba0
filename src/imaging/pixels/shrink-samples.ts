import type { Sharp } from 'sharp'
import type { Bytes } from '../../formats/containers/bytes.ts'
import type { Header } from '../kinds/kind.ts'
import { asRgb } from '../kinds/tiff/samples.ts'
import { openPicture, openRaw, readRaw } from './libvips.ts'
import type { RawPixels } from './raw-pixels.ts'
import { labToSrgb } from './tiff/lab-pixels.ts'
import { samplesOf, toEightBits } from './tiff/wide-samples.ts'

type Box = { width?: number; height?: number }

/** Returns a function that shrinks a TIFF page whose samples libvips would convert wrongly; undefined for all other pages. */
export async function sampleShrinker(
  bytes: Bytes,
  { samples }: Header,
  maxPixels: number,
): Promise<((fitting: object, box: Box) => Promise<Sharp>) | undefined> {
  if (samples === 'lab' || samples === 'icc-lab') {
    const raw = await readRaw(openPicture(asRgb(bytes), maxPixels).autoOrient())
    const pixels = labToSrgb(raw, samples === 'lab')
    return async (fitting, box) => openRaw(pixels).resize({ ...fitting, ...box })
  }
  if (samples !== 'unsigned-32' && samples !== 'signed-32') return undefined
  const isSigned = samples === 'signed-32'
  const file = bytes.read(0, bytes.size)
  const { space } = await openPicture(file, maxPixels).metadata()
  return async (fitting, box) => {
    const { data, info } = await openPicture(file, maxPixels)
      .autoOrient()
      .resize({ ...fitting, ...box })
      // Without this libvips converts to sRGB and keeps only the lowest eight bits.
      .toColourspace(space ?? 'b-w')
      .raw({ depth: isSigned ? 'int' : 'uint' })
      .toBuffer({ resolveWithObject: true })
    const channels = info.channels as RawPixels['channels']
    const scaled = toEightBits(samplesOf({ data }, isSigned))
    return openRaw({ data: scaled, width: info.width, height: info.height, channels })
  }
}
