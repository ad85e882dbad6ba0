import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../../lib/html.ts'
import { drawingOf, isWithheld, type StoredFile } from '../../../media/index.ts'
import { assetPath } from '../../../ui/assets/assets.ts'
import { button } from '../../../ui/parts/controls.ts'
import { icon } from '../../../ui/parts/icon.ts'
import type { Words } from '../../../words/en.ts'
import { type DrawnPicture, drawnPicture, posterOf, type Size, type Zoomed } from './drawn-picture.ts'
import { titleOf } from './title.ts'

/** Without the host, so that the page works at every name and port of the site. */
export const pathOn = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** What a stage shows, and to whom. */
export interface Staging {
  file: StoredFile
  addresses: FileAddresses
  words: Words
  /** Links to the files beside it. */
  besides?: Html | undefined
  /** The reader may have all pixels of the file; without them a video is its frame. */
  mayBeWhole?: boolean
}

/** The picture or video in the size of the window. Behind a cover (NSFW) it is loaded when the cover is opened. */
export function stage({ file, addresses, words, besides, mayBeWhole = true }: Staging): Html {
  const isPlayed = file.type === 'video' && mayBeWhole
  const drawn = isWithheld(file) || isPlayed ? undefined : drawnPicture(file, addresses, mayBeWhole)
  const content = isWithheld(file)
    ? drawing(file)
    : isPlayed
      ? player(file, addresses)
      : drawn && picture(file, drawn, words)
  if (!isWithheld(file) && !content)
    return html`<div class="stage"><p>${words.shareNoPicture}</p>${besides}</div>`
  if (!file.isNsfw)
    return html`<div class="stage">${content}${besides}${isWithheld(file) ? undefined : tools(drawn, words)}</div>`
  return html`<div class="stage"><details class="cover">
<summary>${icon('eye-off')}<strong>${words.nsfw}</strong><span class="button">${words.nsfwShow}</span><span class="again">${words.nsfwHide}</span></summary>
${content}
</details>${besides}</div>`
}

/** The owner of a withheld file and the staff see our drawing of it. */
function drawing(file: StoredFile): Html | undefined {
  const drawn = drawingOf(file)
  return (
    drawn &&
    html`<span class="picture"><img src="${withheldPicturePath(file)}" width="${drawn.width}" height="${drawn.height}" alt="${titleOf(file)}"${lazily(file)}></span>`
  )
}

export const withheldPicturePath = ({ id }: StoredFile): string => `/mine/files/${id}/picture`

/** The script shows it where the browser has a full screen. */
const tools = (drawn: DrawnPicture | undefined, words: Words): Html =>
  html`<div class="stage-tools">${drawn?.zoomed && zoomButton(drawn.zoomed, drawn.shown, words)}${button(
    words.fullScreen,
    {
      look: 'quiet',
      icon: 'full-screen',
      hasOnlyIcon: true,
      more: { 'data-full-screen': true, 'aria-keyshortcuts': 'f', hidden: true },
    },
  )}</div>`

/** The script shows it and loads the zoom when it is pressed. */
const zoomButton = ({ url, width, height }: Zoomed, shown: Size | undefined, words: Words): Html =>
  button(words.zoom, {
    look: 'quiet',
    icon: 'zoom',
    hasOnlyIcon: true,
    more: {
      'data-zoom': pathOn(url),
      // Usually the size that the picture on the page says.
      ...(width !== shown?.width && { 'data-width': width, 'data-height': height }),
      'data-style': assetPath('zoom.css'),
      'data-close': words.zoomClose,
      'aria-keyshortcuts': 'z',
      hidden: true,
    },
  })

/** In place of a picture or video that the browser cannot decode. The script shows it where the server cannot know. */
const noPicture = ({ type, kind }: StoredFile, isHidden: boolean): Html =>
  html`<span class="no-picture"${isHidden ? html` hidden` : undefined}>${icon(type === 'video' ? 'video' : 'picture')}${kind.toUpperCase()}</span>`

function picture(file: StoredFile, drawn: DrawnPicture, words: Words): Html {
  const { link, shown } = drawn
  if (!shown)
    return html`<a class="picture" href="${pathOn(link)}" title="${titleOf(file)}">${noPicture(file, false)}</a>`
  const { url, sources, width, height } = shown
  const srcset = sources?.map((source) => `${pathOn(source.url)} ${source.width}w`).join(', ')
  return html`<a class="picture" href="${pathOn(link)}" title="${words.openFullSize}"><img
src="${pathOn(url)}"${srcset && html` srcset="${srcset}" sizes="${sizesOf(shown)}"`}
width="${width}" height="${height}" alt="${titleOf(file)}"${isSheer(file) ? html` class="sheer"` : undefined}${placeholder(file)}${lazily(file)}>${noPicture(file, true)}</a>`
}

function player(file: StoredFile, addresses: FileAddresses): Html {
  const frame = file.isNsfw ? undefined : posterOf(file, addresses)
  const poster = frame && html` poster="${pathOn(frame)}"`
  return html`<video controls playsinline preload="${file.isNsfw ? 'none' : 'metadata'}" src="${pathOn(addresses.url)}"${poster}
width="${file.width}" height="${file.height}" aria-label="${titleOf(file)}"></video>${noPicture(file, true)}`
}

const lazily = ({ isNsfw }: StoredFile) => (isNsfw ? html` loading="lazy"` : html` fetchpriority="high"`)

/** Drawn by the script until the picture is there. */
const placeholder = (file: StoredFile) =>
  file.isNsfw || file.placeholder === undefined ? undefined : html` data-placeholder="${file.placeholder}"`

/** The smallest of the window's width, the file's width, and the width at 80 % of the window's height. */
const sizesOf = ({ width, height }: Size): string =>
  `min(100vw, ${width}px, 80vh * ${Number((width / height).toFixed(4))})`

/** May have transparent parts, and is large enough to show what lies behind them. */
const isSheer = ({ kind, channels, width, height }: StoredFile) =>
  Math.max(width, height) >= 200 && (channels === 2 || channels === 4 || kind === 'svg' || kind === 'gif')
