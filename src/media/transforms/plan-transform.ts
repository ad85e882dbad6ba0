import type { DerivedFormat, TransformOptions } from '../../imaging/index.ts'
import type { StoredFile, StoredVariant } from '../files/stored-file.ts'
import type { AskedTransform } from './read-transform.ts'

/** What is derived from: the file, or the frame of a video. */
export interface Original {
  kind: string
  width: number
  height: number
  hasAlpha: boolean
  isAnimated: boolean
  /** Of a video. */
  frame: StoredVariant | undefined
}

/** Undefined for a video without a frame. */
export function originalOf(
  file: Pick<StoredFile, 'type' | 'kind' | 'width' | 'height' | 'channels' | 'isAnimated' | 'variants'>,
): Original | undefined {
  if (file.type === 'image') {
    const { kind, width, height, channels, isAnimated } = file
    return { kind, width, height, hasAlpha: channels === 2 || channels === 4, isAnimated, frame: undefined }
  }
  const frame = file.variants.find(({ variant }) => variant === 'frame')
  if (!frame) return undefined
  const { extension, width, height } = frame
  return { kind: extension, width, height, hasAlpha: false, isAnimated: false, frame }
}

/** What one request gets. */
export interface Plan {
  options: TransformOptions
  /** The same for all requests that get the same picture: aliases, defaults and rounding make no difference. */
  key: string
  /** AVIF, which no request waits for: until it is made, the options above are sent for a minute. */
  later?: { options: TransformOptions; key: string }
  /** Whether the answer depends on `Accept`. */
  isVarying: boolean
  /** The picture has all pixels of the file. */
  isWhole: boolean
}

export const usualQuality: Readonly<Record<DerivedFormat, number>> = { jpeg: 80, webp: 75, avif: 50, png: 0 }

/** AVIF takes seconds for more. */
const mostAvifPixels = 2_000_000

export function planTransform(asked: AskedTransform, original: Original, accept: string | undefined): Plan {
  const size = sizeOf(asked, original)
  const isAnimated = asked.isAnimated && original.isAnimated
  const format = formatOf(asked, { original, accept, isAnimated })
  const optionsFor = (format: DerivedFormat): TransformOptions => ({
    ...size,
    background: groundOf(asked, size.fit, original),
    format,
    quality: format === 'png' ? 0 : (asked.quality ?? usualQuality[format]),
    isAnimated: isAnimated && format === 'webp',
  })
  const { width, height } = outputOf(size, original)
  const isVarying = asked.format === 'auto'
  const isWhole = width >= original.width && height >= original.height
  const planned = (format: DerivedFormat) => {
    const options = optionsFor(format)
    return { options, key: keyOf(options) }
  }
  if (format !== 'avif') return { ...planned(format), isVarying, isWhole }
  if (width * height > mostAvifPixels) return { ...planned('webp'), isVarying, isWhole }
  return { ...planned('webp'), later: planned('avif'), isVarying, isWhole }
}

type Sized = Pick<TransformOptions, 'width' | 'height' | 'fit' | 'position'>

/** Written in one way: with one side every fit is the same, and a box beyond the picture is the picture. */
function sizeOf({ width, height, fit, position }: AskedTransform, original: Original): Sized {
  if (fit !== 'scale-down' && width !== undefined && height !== undefined)
    return { width, height, fit, position }
  const within = {
    width: width !== undefined && width < original.width ? width : undefined,
    height: height !== undefined && height < original.height ? height : undefined,
  }
  return { ...within, fit: 'scale-down', position: 'center' }
}

/** The size of the picture that is made. */
export const pictureSize = (asked: AskedTransform, original: Original): { width: number; height: number } => {
  const { width, height } = outputOf(sizeOf(asked, original), original)
  return { width: Math.max(1, width), height: Math.max(1, height) }
}

function outputOf({ width, height, fit }: Sized, original: Original): { width: number; height: number } {
  if (fit === 'pad') return { width: width ?? 1, height: height ?? 1 }
  if (fit === 'cover' && width && height) {
    const scale = Math.min(1, original.width / width, original.height / height)
    return { width: Math.round(width * scale), height: Math.round(height * scale) }
  }
  const scale = Math.min(
    1,
    (width ?? original.width) / original.width,
    (height ?? original.height) / original.height,
  )
  return { width: Math.round(original.width * scale), height: Math.round(original.height * scale) }
}

/** A ground that nobody sees makes no other picture. */
function groundOf(
  { background }: AskedTransform,
  fit: Sized['fit'],
  { hasAlpha }: Original,
): string | undefined {
  return hasAlpha || fit === 'pad' ? background : undefined
}

interface Choosing {
  original: Original
  accept: string | undefined
  isAnimated: boolean
}

function formatOf(asked: AskedTransform, { original, accept, isAnimated }: Choosing): DerivedFormat {
  const isFlat = asked.background !== undefined && asked.background !== 'transparent'
  const isPadded = asked.fit === 'pad' && asked.background === 'transparent' && asked.width && asked.height
  const plain = (original.hasAlpha && !isFlat) || isPadded ? 'png' : 'jpeg'
  if (asked.format === 'origin') return isOrigin(original.kind) ? original.kind : plain
  if (asked.format !== 'auto') return asked.format
  const takes = acceptedTypes(accept)
  if (isAnimated && takes.has('image/webp')) return 'webp'
  if (takes.has('image/avif')) return 'avif'
  return takes.has('image/webp') ? 'webp' : plain
}

const isOrigin = (kind: string): kind is DerivedFormat => kind in usualQuality

/** Types that are named with a weight above zero. Ranges such as `image/*` say nothing of what a client can read. */
function acceptedTypes(accept = ''): ReadonlySet<string> {
  const types = accept.split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1]
    return weight === undefined || Number(weight) > 0 ? [type] : []
  })
  return new Set(types)
}

const keyOf = ({ width, height, fit, position, background, format, quality, isAnimated }: TransformOptions) =>
  [
    format,
    quality,
    width ?? '',
    height ?? '',
    fit,
    position,
    background ?? '',
    isAnimated ? 'anim' : '',
  ].join(' ')

/** What `keyOf` has written. */
export function readOptionsKey(key: string) {
  const [format = '', quality = '', width = '', height = '', fit, position, background, anim] = key.split(' ')
  return {
    format,
    quality: Number(quality),
    width: width || undefined,
    height: height || undefined,
    fit,
    position,
    background: background || undefined,
    isAnimated: anim === 'anim',
  }
}
