import type { ResizeOptions } from 'sharp'
import type { TransformOptions } from '../transform-options.ts'

interface Size {
  width: number
  height: number
}

/** Within a box, never enlarged. */
export const FITTING = { fit: 'inside', withoutEnlargement: true } as const satisfies ResizeOptions

const WHITE = { r: 255, g: 255, b: 255, alpha: 1 }
const TRANSPARENT = { ...WHITE, alpha: 0 }

/** How libvips is to resize a picture of this size. */
export function layoutOf(options: TransformOptions, source: Size): ResizeOptions {
  const { width, height, fit, position } = options
  if (width === undefined || height === undefined || fit === 'scale-down') {
    // A drawing is rendered larger than it is, so that libvips would take it for smaller than the box.
    const across = width && Math.min(width, source.width)
    const down = height && Math.min(height, source.height)
    return { ...FITTING, width: across ?? (down ? undefined : source.width), height: down }
  }
  // libvips names the horizontal side of a corner first.
  const placed = { position: position.split('-').toReversed().join(' ') }
  if (fit === 'cover') return { fit: 'cover', ...placed, ...largestPiece({ width, height }, source) }
  return { fit: 'contain', withoutEnlargement: true, width, height, ...placed, background: groundOf(options) }
}

/** The box, or the largest piece of its shape that the picture has, if the picture is smaller than the box. */
function largestPiece(box: Size, source: Size): Size {
  const scale = Math.min(1, source.width / box.width, source.height / box.height)
  return {
    width: Math.max(1, Math.round(box.width * scale)),
    height: Math.max(1, Math.round(box.height * scale)),
  }
}

function groundOf({ background, format }: TransformOptions) {
  if (background === undefined) return WHITE
  if (background === 'transparent') return format === 'jpeg' ? WHITE : TRANSPARENT
  return `#${background}`
}

/** The colour behind transparent pixels; undefined if they stay transparent. */
export function flattenedOn({ background, format }: TransformOptions): string | undefined {
  if (background !== undefined && background !== 'transparent') return `#${background}`
  return format === 'jpeg' ? '#ffffff' : undefined
}

/** The size of a picture after `layoutOf`, as libvips rounds it. */
export function sizeAfter(layout: ResizeOptions, source: Size): Size {
  if (layout.fit !== 'inside') return { width: layout.width as number, height: layout.height as number }
  const width = layout.width ?? Number.POSITIVE_INFINITY
  const height = layout.height ?? Number.POSITIVE_INFINITY
  return scaled(source, Math.min(1, width / source.width, height / source.height))
}

/** A box into which a picture is shrunk first, where a decoder cannot crop and pad by itself. */
export function boxFor(layout: ResizeOptions, source: Size): Size {
  const { fit, width, height } = layout
  if (fit !== 'cover' || width === undefined || height === undefined) return sizeAfter(inside(layout), source)
  return scaled(source, Math.min(1, Math.max(width / source.width, height / source.height)))
}

/** The first of two steps: everything but the padding, whose colour must not be converted with those of the picture. */
export const inside = (layout: ResizeOptions): ResizeOptions =>
  layout.fit === 'contain' ? { ...FITTING, width: layout.width, height: layout.height } : layout

const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
})
