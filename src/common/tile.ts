import type { TileData } from './wire.ts'

/** A piece of markup, which the server writes as text and the browser makes of elements. */
export interface Piece {
  tag: 'span' | 'img'
  attributes: Readonly<Record<string, string | undefined>>
  content?: readonly (string | { icon: 'eye-off' })[]
}

/** The link of a file in a grid, and what it shows. `cover` is the text over a file whose picture is not loaded. */
export function tileMarkup(
  { id, path, title, picture, placeholder, badge, isCovered }: TileData,
  cover: string,
): { link: Readonly<Record<TileAttribute, string | undefined>>; content: readonly Piece[] } {
  return {
    link: {
      href: path,
      'data-id': id,
      'aria-label': isCovered ? `${title}: ${cover}` : undefined,
      title: isCovered || picture === null ? undefined : title,
    },
    content: [
      isCovered
        ? { tag: 'span', attributes: { class: 'covered' }, content: [{ icon: 'eye-off' }, cover] }
        : picture === null
          ? { tag: 'span', attributes: { class: 'covered', dir: 'auto' }, content: [title] }
          : {
              tag: 'img',
              attributes: {
                src: picture,
                alt: title,
                decoding: 'async',
                'data-placeholder': placeholder ?? undefined,
              },
            },
      ...(badge === null ? [] : [{ tag: 'span' as const, attributes: { class: 'badge' }, content: [badge] }]),
    ],
  }
}

export const tileAttributes = ['href', 'data-id', 'aria-label', 'title'] as const
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
