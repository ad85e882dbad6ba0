import { join } from 'node:path'
import type { Sharp } from 'sharp'
import type { Variant } from '../job.ts'
import type { PictureKind } from '../kinds/kind.ts'
import { encode, writeEncoded } from './encode.ts'
import { openRaw, readRaw } from './libvips.ts'
import type { Source } from './source.ts'

const THUMB_SIDE = 320
export const MEDIUM_WIDTH = 500

/** The longest side that every format written here can have. */
const MAX_SIDE = 16_383

const MIMES = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const

interface Wanted {
  /** The format that they are written in. */
  format: PictureKind['variantFormat']
  folder: string
  hasMedium: boolean
}

export interface Variants {
  thumb: Variant
  medium?: Variant | undefined
}

/** Decodes once, to the smallest size that is enough for both, and makes thumb and medium from that. */
export async function writeVariants(
  source: Source,
  { format, folder, hasMedium }: Wanted,
): Promise<Variants> {
  const mediumWidth = Math.min(MEDIUM_WIDTH, source.width)
  const pixels = await readRaw(await source.shrink(boxFor(source, hasMedium ? mediumWidth : 1)))
  const write = (name: string, picture: Sharp) => writeVariant(picture, name, format, folder)

  // One after the other: other pictures are waiting for the cores, and side by side both take longer.
  const square = { width: THUMB_SIDE, height: THUMB_SIDE, fit: 'cover' } as const
  const thumb = await write('thumb', openRaw(pixels).resize(square))
  if (!hasMedium) return { thumb }
  const sized = { width: mediumWidth, withoutEnlargement: true }
  return { thumb, medium: await write('medium', openRaw(pixels).resize(sized)) }
}

/** The medium's width, or more when the thumb's square needs it. */
function boxFor({ width, height }: Source, mediumWidth: number): { width: number; height: number } {
  const coverWidth = Math.ceil((width * THUMB_SIDE) / Math.min(width, height))
  return { width: Math.min(Math.max(mediumWidth, coverWidth), MAX_SIDE), height: MAX_SIDE }
}

async function writeVariant(
  picture: Sharp,
  name: string,
  format: Wanted['format'],
  folder: string,
): Promise<Variant> {
  const encoded = await encode(picture, format, 'variant')
  const path = join(folder, `${name}.${format}`)
  writeEncoded(path, encoded)
  return {
    path,
    mime: MIMES[format],
    extension: format,
    width: encoded.width,
    height: encoded.height,
    sizeBytes: encoded.data.length,
  }
}
