import { ratioOfShape, shapeOf } from './shapes.ts'
import type { TileData, TileWords } from './wire.ts'

/** A piece of markup, which the server writes as text and the browser makes of elements. */
export interface Piece {
  tag: 'span' | 'img'
  attributes: Readonly<Record<string, string | undefined>>
  content?: readonly (string | { icon: 'eye-off' | 'lock' | 'play' } | Piece)[]
}

interface TileMarkup {
  link: Readonly<Record<TileAttribute, string | undefined>>
  /** In the link. */
  content: readonly Piece[]
  /** Beside the link, so that they are no part of its name. */
  marks: readonly Piece[]
}

const span = (attributes: Piece['attributes'], ...content: NonNullable<Piece['content']>): Piece => ({
  tag: 'span',
  attributes,
  content,
})

/** The link of a file in a grid, what it shows, and what stands over it. */
export function tileMarkup(tile: TileData, words: TileWords): TileMarkup {
  const { id, path, title, picture, srcset, placeholder, badge, isCovered, isClosed, owner } = tile
  const link = {
    href: path,
    'data-id': id,
    'aria-label': isCovered ? `${title}: ${words.cover}` : undefined,
  }
  const image = {
    // Before the addresses: these would be loaded for the whole window.
    sizes: srcset === null ? undefined : tileSizes(tile),
    srcset: srcset ?? undefined,
    src: picture ?? '',
    width: String(tile.width),
    height: String(tile.height),
    alt: title,
    decoding: 'async',
    'data-placeholder': placeholder ?? undefined,
  }
  const shown = isCovered
    ? span({ class: 'covered' }, { icon: 'eye-off' }, words.cover)
    : picture === null
      ? span({ class: 'covered', dir: 'auto' }, title)
      : { tag: 'img' as const, attributes: image }
  return {
    link,
    content: [shown, ...(badge === null ? [] : [span({ class: 'badge' }, { icon: 'play' }, badge)])],
    marks: [
      ...(isClosed
        ? [span({ class: 'lock', role: 'img', 'aria-label': words.closed }, { icon: 'lock' })]
        : []),
      span(
        { class: 'caption' },
        // The link has the title as its name already.
        span({ dir: 'auto', 'aria-hidden': 'true' }, title),
        ...(owner === null ? [] : [span({ dir: 'auto' }, owner)]),
      ),
    ],
  }
}

/** The ratio of a tile: wider and taller files are cut to it. */
export const tileRatio = ({ width, height }: { width: number; height: number }): number =>
  ratioOfShape(shapeOf({ width, height }))

/**
 * As wide as the picture is shown, which browsers know of pictures that they load late; an estimate for the others: a row is about 210
 * pixels high.
 */
const tileSizes = (size: { width: number; height: number }): string =>
  `auto, ${Math.round(tileRatio(size) * 210)}px`

export const tileAttributes = ['href', 'data-id', 'aria-label'] as const
type TileAttribute = (typeof tileAttributes)[number]

/** The box that selects a file. `label` has `#` in place of the title. */
export const selectBoxAttributes = ({ id, title }: Pick<TileData, 'id' | 'title'>, label: string) => ({
  type: 'checkbox',
  class: 'select',
  name: 'id',
  value: id,
  'aria-label': label.replace('#', () => title),
  autocomplete: 'off',
})
