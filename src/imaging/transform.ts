import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import { type Bytes, openWhole } from '../formats/containers/bytes.ts'
import type { Transformed, TransformJob } from './children/job.ts'
import { notDecodable } from './errors.ts'
import { kindsByName, recognise } from './kinds/index.ts'
import type { Header, PictureKind } from './kinds/kind.ts'
import { encode, writeEncoded } from './pixels/encode.ts'
import { flattenedOn, layoutOf, sizeAfter } from './pixels/layout.ts'
import { openPicture, openRaw, readRaw } from './pixels/libvips.ts'
import { type Source, withSource } from './pixels/source.ts'
import { placeholderOf } from './pixels/variants.ts'
import type { TransformOptions } from './transform-options.ts'

/** An animation with more frames, or with more pixels of output in all, becomes a still. */
const MAX_ANIMATED_FRAMES = 100
const MAX_ANIMATED_PIXELS = 50_000_000

/** Upright, in sRGB and eight bits, without metadata. Runs in a child process only. */
export async function transform(job: TransformJob): Promise<Transformed> {
  using bytes = openWhole(job.path)
  const kind = recognise(bytes)
  if (kind.type === 'video') throw notDecodable('a video, and not its frame')
  const header = kind.header(bytes, MAX_ANIMATED_FRAMES)
  return isAnimatedIn(job, kind, header)
    ? await writeDerived(job, openAnimation(job, header), true)
    : await transformStill(job, { kind, bytes, header })
}

interface Opened {
  kind: PictureKind
  bytes: Bytes
  header: Header
}

/** The uploaded file was accepted, so only the limits of the process are left. */
const maxPixels = Number.MAX_SAFE_INTEGER

function transformStill(job: TransformJob, opened: Opened): Promise<Transformed> {
  const { options, path } = job
  return withSource({ ...opened, path, maxPixels }, async (source) => {
    const picture = withRoomForColour(await source.shrink(layoutOf(options, source)), options, source)
    if (!job.hasPlaceholder) return writeDerived(job, picture, false)
    const pixels = await readRaw(onGround(picture, options))
    return { ...(await writeDerived(job, openRaw(pixels), false)), placeholder: placeholderOf(pixels) }
  })
}

function isAnimatedIn({ options }: TransformJob, kind: PictureKind, header: Header): boolean {
  if (!options.isAnimated || options.format !== 'webp') return false
  if (header.frames <= 1 || header.frames > MAX_ANIMATED_FRAMES || !kind.hasReadableFrames) return false
  const { width, height } = sizeAfter(layoutOf(options, header), header)
  return width * height * header.frames <= MAX_ANIMATED_PIXELS
}

function openAnimation({ path, options }: TransformJob, header: Header) {
  return openPicture(path, maxPixels, { pages: -1 }).resize(layoutOf(options, header))
}

/** libvips makes the ground of a grey picture grey. */
function withRoomForColour(
  picture: Sharp,
  { background }: TransformOptions,
  { channels, bits }: Source,
): Sharp {
  const isColoured = background !== undefined && background !== 'transparent'
  if (!isColoured || channels > 2) return picture
  return picture.pipelineColourspace(bits > 8 ? 'rgb16' : 'srgb')
}

function onGround(picture: Sharp, options: TransformOptions): Sharp {
  const ground = flattenedOn(options)
  return ground === undefined ? picture : picture.flatten({ background: ground })
}

async function writeDerived(
  { options, outputFolder }: TransformJob,
  picture: Sharp,
  isAnimated: boolean,
): Promise<Transformed> {
  const { format, quality } = options
  const encoded = await encode(onGround(picture, options), format, quality)
  const path = join(outputFolder, `derived.${kindsByName[format].extensions[0]}`)
  writeEncoded(path, encoded)
  const { width, height, data } = encoded
  const sha256 = hash('sha256', data)
  return { path, mime: kindsByName[format].mime, width, height, sizeBytes: data.length, sha256, isAnimated }
}
