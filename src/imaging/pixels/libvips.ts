import sharp, { type Sharp, type SharpOptions } from 'sharp'
import { kinds } from '../kinds/index.ts'
import type { RawPixels } from './raw-pixels.ts'

/** The loaders that libvips may use. SVG is loaded from memory only, so that a drawing cannot refer to files beside it. */
const LOADERS = [
  ...kinds.flatMap((kind) => {
    if (kind.type !== 'image' || kind.decoder.by !== 'libvips') return []
    return [`${kind.decoder.loader}File`, `${kind.decoder.loader}Buffer`]
  }),
  'SvgBuffer',
]

/** Must be called once, before anything is decoded. */
export function lockLibvips(): void {
  sharp.cache(false)
  // Pictures are decoded in parallel by processes, not by threads.
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS.map((loader) => `VipsForeignLoad${loader}`) })
}

/** Decoding fails at the first error in the file, truncation included. */
export function openPicture(input: string | Buffer, maxPixels: number, options: SharpOptions = {}): Sharp {
  return sharp(input, { failOn: 'error', limitInputPixels: maxPixels, ...options })
}

/** Decodes every frame of an animation. Variants need only the first one; the others are decoded as a check. */
export async function decodeEveryFrame(path: string, maxPixels: number): Promise<void> {
  // libvips has to decode each whole frame to return one pixel of it.
  const corner = { left: 0, top: 0, width: 1, height: 1 }
  await openPicture(path, maxPixels, { pages: -1 }).extract(corner).raw().toBuffer()
}

export function openRaw({ data, width, height, channels }: RawPixels): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
}

export async function readRaw(picture: Sharp): Promise<RawPixels> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels as RawPixels['channels'] }
}
