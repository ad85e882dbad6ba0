import { attributes, type Html, href, html } from '../../lib/html.ts'
import type { Words } from '../../words/en.ts'
import { linkButton } from './controls.ts'
import { icon } from './icon.ts'

export interface Column {
  name: string
  isNumber?: boolean
  /** A short column before the one that names its row, such as boxes to select rows, or times. */
  isBefore?: boolean
  /** The address of the same list sorted by this column. */
  sortAddress?: string
  sorted?: 'ascending' | 'descending'
}

/**
 * Sorts by links. On a phone each row is a block with the names of its columns; a changed `display` takes the table roles
 * away, so they are written out for screen readers.
 */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Html[])[]): Html {
  return html`<table class="table" role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(headOf)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells) => rowOf(columns, cells))}
</tbody>
</table>`
}

function headOf({ name, isNumber, sortAddress, sorted }: Column): Html {
  const own = {
    scope: 'col',
    role: 'columnheader',
    class: isNumber ? 'number' : undefined,
    'aria-sort': sorted,
  }
  const text = sortAddress === undefined ? html`${name}` : html`<a href="${href(sortAddress)}">${name}</a>`
  return html`<th${attributes(own)}>${text}</th>`
}

/** The first column names the row, unless one stands before it. */
function rowOf(columns: readonly Column[], cells: readonly Html[]): Html {
  const header = columns.findIndex(({ isBefore }) => !isBefore)
  const written = cells.map((cell, index) => {
    if (index === header) return html`<th scope="row" role="rowheader">${cell}</th>`
    const { name = '', isNumber, isBefore } = columns[index] ?? {}
    return html`<td${attributes({ role: 'cell', class: isNumber ? 'number' : undefined, 'data-name': isBefore ? undefined : name })}>${cell}</td>`
  })
  return html`<tr role="row">${written}</tr>`
}

interface PagerForm {
  words: Words
  newer?: string | undefined
  older?: string | undefined
  /** In place of newer and older, for lists in another order. */
  labels?: readonly [newer: string, older: string]
  /** Which page this is, where the number of pages is known. */
  at?: string
}

/** Links to the pages before and after this one. */
export const pager = ({
  words,
  newer,
  older,
  labels: [first, next] = [words.newer, words.older],
  at,
}: PagerForm): Html =>
  html`<nav class="pager" aria-label="${first}, ${next}">${
    newer === undefined
      ? html`<span></span>`
      : linkButton(first, newer, { look: 'plain', icon: 'left', more: { rel: 'prev' } })
  }${at === undefined ? undefined : html`<span class="soft">${at}</span>`}${older === undefined ? (at === undefined ? undefined : html`<span></span>`) : linkButton(next, older, { look: 'plain', icon: 'right', more: { rel: 'next' } })}</nav>`

interface Tab {
  label: string
  address: string
  isCurrent?: boolean
}

/** Links between pages that belong together. */
export const tabs = (label: string, list: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${list.map(
    (tab) =>
      html`<a${attributes({ href: href(tab.address), 'aria-current': tab.isCurrent ? 'page' : undefined })}>${tab.label}</a>`,
  )}</nav>`

type ChipLook = 'plain' | 'good' | 'warn' | 'danger' | 'accent'

/** A short fact. Its colour repeats what its words say. */
export const chip = (text: string, look: ChipLook = 'plain'): Html =>
  html`<span class="chip${look === 'plain' ? undefined : ` ${look}`}">${text}</span>`

/** A filter; the current one is filled. */
export const linkChip = (text: string, address: string, isCurrent = false): Html =>
  html`<a${attributes({ class: 'chip', href: href(address), 'aria-current': isCurrent ? 'true' : undefined })}>${text}</a>`

/** A person's picture, else the first letters of the name, which stands beside it. */
export const avatar = (name: string, picture?: string): Html =>
  html`<span class="avatar" aria-hidden="true">${picture === undefined ? initialsOf(name) : html`<img src="${picture}" width="36" height="36" alt="">`}</span>`

function initialsOf(name: string): string {
  const words = name.trim().split(/[\s._-]+/u)
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : '']
  return `${[...first][0] ?? '?'}${[...last][0] ?? ''}`.toUpperCase()
}

export interface MediaTile {
  /** Undefined if the tile leads nowhere. */
  address: string | undefined
  title: string
  /** Undefined for a file without one: then its title is shown. */
  picture: { path: string; width: number; height: number } | undefined
  /** The length of a video. */
  badge?: string
  /** The words over a file that is not safe for everyone: its picture is not loaded. */
  cover?: string
}

/** Squares, those of the last row as large as the others. */
export const mediaTiles = (tiles: readonly MediaTile[]): Html =>
  html`<ul class="tiles squares">${tiles.map(tileOf)}</ul>`

function tileOf(tile: MediaTile): Html {
  const { address, badge } = tile
  const content = html`${shown(tile)}${badge === undefined ? undefined : html`<span class="badge">${icon('play')}${badge}</span>`}`
  return html`<li class="tile">${address === undefined ? content : html`<a href="${href(address)}">${content}</a>`}</li>`
}

function shown({ title, picture, cover }: MediaTile): Html {
  if (cover !== undefined) return html`<span class="covered">${icon('eye-off')}${cover}</span>`
  if (!picture) return html`<span class="covered" dir="auto">${title}</span>`
  const { path, width, height } = picture
  return html`<img src="${path}" width="${width}" height="${height}" alt="${title}" loading="lazy">`
}
