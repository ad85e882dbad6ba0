import sharp, { type Sharp, type SharpOptions } from 'sharp'
import type { RawPixels } from './raw-pixels.ts'

/** The decoders that may be reached at all; drawings only from memory, so that they cannot reach for files. */
const LOADERS = [
  ...['JpegFile', 'PngFile', 'WebpFile', 'NsgifFile', 'HeifFile', 'TiffFile'],
  ...['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer', 'HeifBuffer', 'TiffBuffer', 'SvgBuffer'],
]

/** To be called once, before anything is decoded. */
export function lockLibvips(): void {
  sharp.cache(false)
  // Work is spread over processes, not threads.
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS.map((loader) => `VipsForeignLoad${loader}`) })
}

/** A decoder that gives up on the first real fault, truncation included. */
export function openPicture(input: string | Buffer, maxPixels: number, options: SharpOptions = {}): Sharp {
  return sharp(input, { failOn: 'error', limitInputPixels: maxPixels, ...options })
}

export function openRaw({ data, width, height, channels }: RawPixels): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
}

export async function readRaw(picture: Sharp): Promise<RawPixels> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels as RawPixels['channels'] }
}
