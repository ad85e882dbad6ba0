import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import type { Variant } from '../children/job.ts'
import { kindsByName } from '../kinds/index.ts'
import type { VariantFormat } from '../kinds/kind.ts'
import { encode, writeEncoded } from './encode.ts'
import { openRaw, readRaw } from './libvips.ts'
import { placeholderOf } from './placeholder.ts'
import type { Source } from './source.ts'

const THUMB_SIDE = 320
export const MEDIUM_WIDTH = 500

/** The longest side that a WebP can have; JPEG and PNG allow more. */
const MAX_SIDE = 16_383

interface VariantRequest {
  format: VariantFormat
  folder: string
  hasMedium: boolean
}

export interface Variants {
  thumb: Variant
  medium?: Variant | undefined
  placeholder: string
}

/** Decodes the picture once, to the smallest size that both variants need, and makes thumb, medium and placeholder from that. */
export async function writeVariants(
  source: Source,
  { format, folder, hasMedium }: VariantRequest,
): Promise<Variants> {
  const mediumWidth = Math.min(MEDIUM_WIDTH, source.width)
  const pixels = await readRaw(await source.shrink(boxFor(source, hasMedium ? mediumWidth : 1)))
  const write = (name: string, picture: Sharp) => writeVariant(picture, name, format, folder)

  // One after the other: every core already has a decoder, so two encoders at a time would only slow each other down.
  const square = { width: THUMB_SIDE, height: THUMB_SIDE, fit: 'cover' } as const
  const thumb = await write('thumb', openRaw(pixels).resize(square))
  const placeholder = placeholderOf(pixels)
  if (!hasMedium) return { thumb, placeholder }
  const sized = { width: mediumWidth, withoutEnlargement: true }
  return { thumb, placeholder, medium: await write('medium', openRaw(pixels).resize(sized)) }
}

/** As wide as the medium, or wider if the thumb's square needs it. */
function boxFor({ width, height }: Source, mediumWidth: number): { width: number; height: number } {
  const coverWidth = Math.ceil((width * THUMB_SIDE) / Math.min(width, height))
  return { width: Math.min(Math.max(mediumWidth, coverWidth), MAX_SIDE), height: MAX_SIDE }
}

async function writeVariant(
  picture: Sharp,
  name: string,
  format: VariantFormat,
  folder: string,
): Promise<Variant> {
  const encoded = await encode(picture, format, 'variant')
  const path = join(folder, `${name}.${format}`)
  writeEncoded(path, encoded)
  return {
    path,
    mime: kindsByName[format].mime,
    extension: format,
    width: encoded.width,
    height: encoded.height,
    sizeBytes: encoded.data.length,
    sha256: hash('sha256', encoded.data),
  }
}
