import { type Html, href, html } from '../../../lib/html.ts'
import { icon } from '../icon.ts'

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

/** Rows of equal height, each picture in its own shape. */
export const mediaTiles = (tiles: readonly MediaTile[]): Html =>
  html`<ul class="tiles">${tiles.map(tileOf)}</ul>`

function tileOf(tile: MediaTile): Html {
  const { address, badge } = tile
  const content = html`${shown(tile)}${badge === undefined ? undefined : html`<span class="badge">${badge}</span>`}`
  return html`<li class="tile">${address === undefined ? content : html`<a href="${href(address)}">${content}</a>`}</li>`
}

function shown({ title, picture, cover }: MediaTile): Html {
  if (cover !== undefined) return html`<span class="covered">${icon('eye-off')}${cover}</span>`
  if (!picture) return html`<span class="covered" dir="auto">${title}</span>`
  const { path, width, height } = picture
  return html`<img src="${path}" width="${width}" height="${height}" alt="${title}" loading="lazy">`
}
