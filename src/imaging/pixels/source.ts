import type { ResizeOptions, Sharp } from 'sharp'
import type { Bytes } from '../../formats/containers/bytes.ts'
import { type NewEntry, writeTiff } from '../../formats/metadata/exif/tiff-writer.ts'
import { notDecodable } from '../errors.ts'
import { cropOf } from '../kinds/heif/crop.ts'
import { profileOf } from '../kinds/heif/heif.ts'
import { hevcTilesOf } from '../kinds/heif/tiles.ts'
import type { Header, PictureKind } from '../kinds/kind.ts'
import { asRgb } from '../kinds/tiff.ts'
import { decodeBmp } from './decode-bmp.ts'
import { type HevcLibrary, loadHevcLibrary } from './heif/hevc-library.ts'
import { decodeTiles } from './heif/hevc-planes.ts'
import { knowsMatrix, shrinkPlanes, uprightSize } from './heif/shrink-planes.ts'
import { boxFor, FITTING, inside } from './layout.ts'
import { openPicture, openRaw, readRaw } from './libvips.ts'
import type { RawPixels } from './raw-pixels.ts'
import { sampleShrinker } from './shrink-samples.ts'

/** A picture that can be decoded, independent of its decoder. */
export interface Source {
  /** After the orientation is applied. */
  width: number
  height: number
  orientation: number
  bits: number
  channels: number
  frames: number
  /** A new pipeline that ends in the upright picture, laid out so. */
  shrink(layout: ResizeOptions): Promise<Sharp>
}

export interface Picture {
  kind: PictureKind
  path: string
  bytes: Bytes
  header: Header
  maxPixels: number
}

/** A small drawing is rendered large enough for thumb and medium, but at most 20 times its size. */
const RENDERED_SIDE = 500
const MAX_ENLARGEMENT = 20

export async function withSource<T>(picture: Picture, use: (source: Source) => Promise<T>): Promise<T> {
  const { kind, bytes } = picture
  switch (kind.decoder.by) {
    case 'libvips':
      return use(await openFile(picture))
    case 'librsvg':
      return use(await openDrawing(picture))
    case 'own-code':
      return use(rawSource(decodeBmp(bytes)))
    case 'libheif': {
      const tiled = openTiles(picture)
      if (tiled !== undefined) return use(tiled)
      // Imported at the first HEIC: loading it takes longer than loading all other decoders.
      const { withHeicPixels } = await import('./heif/libheif.ts')
      const file = kind.forDecoder?.(bytes) ?? bytes.read(0, bytes.size)
      const [profile, crop] = [profileOf(bytes), cropOf(bytes)]
      return withHeicPixels(file, (pixels) => use(rawSource({ ...cropPixels(pixels, crop), profile })))
    }
  }
}

async function openFile({ kind, path, bytes, header, maxPixels }: Picture): Promise<Source> {
  const input = kind.forDecoder?.(bytes) ?? bytes.whole ?? path
  const shrinkSamples = header.samples && (await sampleShrinker(bytes, header, maxPixels))
  const readable = isLab(header) ? asRgb(bytes) : input
  return {
    ...(await askDecoder(openPicture(readable, maxPixels), kind)),
    frames: header.frames,
    shrink: async (layout) =>
      (await shrinkSamples?.(layout)) ?? openPicture(input, maxPixels).autoOrient().resize(layout),
  }
}

const isLab = ({ samples }: Header) => samples === 'lab' || samples === 'icc-lab'

async function askDecoder(picture: Sharp, { decoder }: PictureKind) {
  const { format, autoOrient, orientation = 1, depth, channels } = await picture.metadata()
  if (decoder.by !== 'libvips' || format !== decoder.format) throw notDecodable(`it decodes as ${format}`)
  return { ...autoOrient, orientation, bits: depth === 'uchar' ? 8 : 16, channels }
}

async function openDrawing({ bytes, maxPixels }: Picture): Promise<Source> {
  const file = bytes.read(0, bytes.size)
  const { width, height, channels } = await openPicture(file, maxPixels).metadata()
  const scale = Math.min(MAX_ENLARGEMENT, Math.max(1, RENDERED_SIDE / Math.min(width, height)))
  const options = { density: 72 * scale }
  const shrink: Source['shrink'] = async (layout) => {
    const rendered = (within: ResizeOptions) => openPicture(file, maxPixels, options).resize(within)
    if (layout.fit !== 'contain') return rendered(layout)
    const { width: most = width, height: high = height } = layout
    const own = { ...FITTING, width: Math.min(most, width), height: Math.min(high, height) }
    return openRaw(await readRaw(rendered(own))).resize(layout)
  }
  return { width, height, orientation: 1, bits: 8, channels, frames: 1, shrink }
}

/** HEIC as phones write it, decoded by FFmpeg's libraries in a quarter of libheif's time. Undefined if libheif must decode it. */
function openTiles({ bytes, maxPixels }: Picture): Source | undefined {
  const library = loadHevcLibrary()
  const tiles = library && hevcTilesOf(bytes)
  if (tiles === undefined) return undefined
  const planes = undefinedOnError(() => decodeTiles(library as HevcLibrary, bytes, tiles, maxPixels))
  if (planes === undefined || !knowsMatrix(planes.matrix)) return undefined
  const profile = profileOf(bytes)
  const size = uprightSize(planes, tiles.turns)
  const shrink: Source['shrink'] = async (layout) => {
    const small = await shrinkPlanes(planes, tiles.turns, boxFor(layout, size))
    const picture =
      profile === undefined
        ? openRaw(small)
        : openPicture(wrapWithProfile(small, profile), size.width * size.height)
    return layout.fit === FITTING.fit ? picture : picture.resize(layout)
  }
  return { ...size, orientation: 1, bits: 8, channels: 3, frames: 1, shrink }
}

/** If this decoder fails, libheif decides whether the picture is broken. */
function undefinedOnError<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function rawSource(pixels: RawPixels): Source {
  const { width, height, channels, profile } = pixels
  const shrink: Source['shrink'] = async (layout) => {
    if (profile === undefined) return openRaw(pixels).resize(layout)
    const small = await readRaw(openRaw(pixels).resize(inside(layout)))
    const picture = openPicture(wrapWithProfile(small, profile), width * height)
    return layout.fit === 'contain' ? picture.resize(layout) : picture
  }
  return { width, height, orientation: 1, bits: 8, channels, frames: 1, shrink }
}

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

interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** The given area of a picture; the whole picture if there is none. */
function cropPixels(pixels: RawPixels, area: Area | undefined): RawPixels {
  if (area === undefined) return pixels
  const { left, top, width, height } = area
  if (left + width > pixels.width || top + height > pixels.height)
    throw notDecodable('a crop that extends beyond the picture')
  const rowBytes = width * pixels.channels
  const data = Buffer.allocUnsafe(rowBytes * height)
  for (let row = 0; row < height; row++) {
    const at = ((top + row) * pixels.width + left) * pixels.channels
    data.set(pixels.data.subarray(at, at + rowBytes), row * rowBytes)
  }
  return { ...pixels, data, width, height }
}
