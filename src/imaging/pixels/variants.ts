import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import type { Variant } from '../children/job.ts'
import { kindsByName } from '../kinds/index.ts'
import type { VariantFormat } from '../kinds/kind.ts'
import { encode, writeEncoded } from './encode.ts'
import { FITTING } from './layout.ts'
import { openRaw, readRaw } from './libvips.ts'
import type { RawPixels } from './raw-pixels.ts'
import type { Source } from './source.ts'

const VARIANT_QUALITY = 85
const THUMB_SIDE = 320
export const MEDIUM_WIDTH = 500

/** The longest side that a WebP can have; JPEG and PNG allow more. */
const MAX_SIDE = 16_383

interface VariantRequest {
  format: VariantFormat
  folder: string
  hasMedium: boolean
}

interface Variants {
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
  const pixels = await readRaw(await source.shrink(sizeOfBoth(source, hasMedium ? mediumWidth : 1)))
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
function sizeOfBoth({ width, height }: Source, mediumWidth: number) {
  const coverWidth = Math.ceil((width * THUMB_SIDE) / Math.min(width, height))
  return { ...FITTING, width: Math.min(Math.max(mediumWidth, coverWidth), MAX_SIDE), height: MAX_SIDE }
}

async function writeVariant(
  picture: Sharp,
  name: string,
  format: VariantFormat,
  folder: string,
): Promise<Variant> {
  const encoded = await encode(picture, format, VARIANT_QUALITY)
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

/** A hash has at most seven waves a side, so more pixels would cost time and change nothing. */
export const PLACEHOLDER_SIDE = 32
/** Of each pixel of the small picture, in both directions. */
const SAMPLES = 3

/** A thumbhash in Base64: what is shown of a picture before its bytes are there. */
export function placeholderOf(pixels: RawPixels): string {
  const scale = Math.min(1, PLACEHOLDER_SIDE / Math.max(pixels.width, pixels.height))
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
