import type { Sharp } from 'sharp'
import type { Bytes } from '../containers/bytes.ts'
import { notDecodable } from '../errors.ts'
import { profileOf } from '../kinds/heif.ts'
import type { Header, PictureKind } from '../kinds/kind.ts'
import { decodeBmp } from './bmp-pixels.ts'
import { openPicture, openRaw, readRaw } from './libvips.ts'
import type { RawPixels } from './raw-pixels.ts'
import { wrapWithProfile } from './with-profile.ts'

/** A picture that can be decoded, whichever decoder does it. */
export interface Source {
  /** Upright. */
  width: number
  height: number
  orientation: number
  bits: number
  channels: number
  frames: number
  /** A new pipeline that ends in the upright picture, no larger than the box. */
  shrink(box: { width?: number; height?: number }): Promise<Sharp>
}

interface Place {
  kind: PictureKind
  path: string
  bytes: Bytes
  header: Header
  maxPixels: number
}

/** Drawings are drawn large enough for both versions, but not without measure. */
const DRAWN_WIDTH = 500
const MAX_ENLARGEMENT = 20

export async function withSource<T>(place: Place, use: (source: Source) => Promise<T>): Promise<T> {
  const { kind, bytes } = place
  switch (kind.decodedBy) {
    case 'libvips':
      return use(await openFile(place))
    case 'librsvg':
      return use(await openDrawing(place))
    case 'ourselves':
      return use(rawSource(decodeBmp(bytes)))
    case 'libheif': {
      // Loaded when the first such picture comes: it takes longer than all other decoders together.
      const { withHeicPixels } = await import('./heic-pixels.ts')
      const profile = profileOf(bytes)
      return withHeicPixels(bytes.read(0, bytes.size), (pixels) => use(rawSource({ ...pixels, profile })))
    }
  }
}

async function openFile({ kind, path, bytes, header, maxPixels }: Place): Promise<Source> {
  const input = kind.renamed?.(bytes) ?? bytes.whole ?? path
  const { width, height, upright } = header
  const known = upright
    ? { width, height, orientation: 1, ...upright }
    : await askDecoder(openPicture(input, maxPixels), kind)
  return {
    ...known,
    frames: header.frames,
    shrink: async (box) =>
      openPicture(input, maxPixels)
        .autoOrient()
        .resize({ ...FITTING, ...box }),
  }
}

async function askDecoder(picture: Sharp, { name }: PictureKind) {
  const { format, autoOrient, orientation = 1, depth, channels } = await picture.metadata()
  if (format !== (name === 'avif' ? 'heif' : name)) throw notDecodable(`it decodes as ${format}`)
  return { ...autoOrient, orientation, bits: depth === 'uchar' ? 8 : 16, channels }
}

async function openDrawing({ bytes, maxPixels }: Place): Promise<Source> {
  const file = bytes.read(0, bytes.size)
  const { width, height, channels } = await openPicture(file, maxPixels).metadata()
  const scale = Math.min(MAX_ENLARGEMENT, Math.max(1, DRAWN_WIDTH / Math.min(width, height)))
  const options = { density: 72 * scale }
  const shrink: Source['shrink'] = async (box) =>
    openPicture(file, maxPixels, options).resize({ ...FITTING, ...box })
  return { width, height, orientation: 1, bits: 8, channels, frames: 1, shrink }
}

function rawSource(pixels: RawPixels): Source {
  const { width, height, channels, profile } = pixels
  const shrink: Source['shrink'] = async (box) => {
    const small = openRaw(pixels).resize({ ...FITTING, ...box })
    if (profile === undefined) return small
    return openPicture(wrapWithProfile(await readRaw(small), profile), width * height)
  }
  return { width, height, orientation: 1, bits: 8, channels, frames: 1, shrink }
}

const FITTING = { fit: 'inside', withoutEnlargement: true } as const
