import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { kindsShownIn } from '../../../imaging/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { drawingOf, isWithheld, type StoredFile, variantOf } from '../../../media/index.ts'
import { assetPath } from '../../../ui/assets/assets.ts'
import { button } from '../../../ui/parts/controls.ts'
import { icon } from '../../../ui/parts/icon.ts'
import type { Words } from '../../../words/en.ts'
import { titleOf } from './title.ts'

/** What browsers show. Of a larger file the page shows the medium variant and links to the file. */
const inBrowsers = { kinds: kindsShownIn('browsers'), mostBytes: 20_000_000 }
/** What link previews accept. */
export const inPreviews = { kinds: kindsShownIn('link-previews'), mostBytes: 5_000_000 }

interface Shown {
  url: string
  mime: string
  width: number
  height: number
}

/** The file itself if it can be shown, else its largest variant. */
export function shownPicture(file: StoredFile, addresses: FileAddresses, where = inBrowsers): Shown {
  const version = variantOf(file, 'frame') ?? variantOf(file, 'medium') ?? variantOf(file, 'thumb')
  const isFit = where.kinds.includes(file.kind) && file.sizeBytes <= where.mostBytes
  return isFit || !version ? { ...file, url: addresses.url } : { ...version, url: addresses.urlOf(version) }
}

/** Without the host, so that the page works at every name and port of the site. */
export const pathOn = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The picture or video in the size of the window. Behind a cover (NSFW) it is loaded when the cover is opened. */
export function stage(file: StoredFile, addresses: FileAddresses, words: Words, besides?: Html): Html {
  const content = isWithheld(file)
    ? drawing(file)
    : file.type === 'video'
      ? player(file, addresses)
      : picture(file, addresses, words)
  if (!file.isNsfw)
    return html`<div class="stage">${content}${besides}${isWithheld(file) ? undefined : tools(file, addresses, words)}</div>`
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
const tools = (file: StoredFile, addresses: FileAddresses, words: Words): Html =>
  html`<div class="stage-tools">${zoomButton(file, addresses, words)}${button(words.fullScreen, {
    look: 'quiet',
    icon: 'full-screen',
    hasOnlyIcon: true,
    more: { 'data-full-screen': true, 'aria-keyshortcuts': 'f', hidden: true },
  })}</div>`

/** The script shows it and loads the zoom when it is pressed. */
function zoomButton(file: StoredFile, addresses: FileAddresses, words: Words): Html | undefined {
  if (file.type !== 'image') return undefined
  const { url, width, height } = shownPicture(file, addresses)
  if (url === addresses.url && !inBrowsers.kinds.includes(file.kind)) return undefined
  const size = { 'data-zoom': pathOn(url), 'data-width': width, 'data-height': height }
  return button(words.zoom, {
    look: 'quiet',
    icon: 'zoom',
    hasOnlyIcon: true,
    more: {
      ...size,
      'data-style': assetPath('zoom.css'),
      'data-close': words.zoomClose,
      'aria-keyshortcuts': 'z',
      hidden: true,
    },
  })
}

/** In place of a picture or video that the browser cannot decode. The script shows it where the server cannot know. */
const noPicture = ({ type, kind }: StoredFile, isHidden: boolean): Html =>
  html`<span class="no-picture"${isHidden ? html` hidden` : undefined}>${icon(type === 'video' ? 'video' : 'picture')}${kind.toUpperCase()}</span>`

function picture(file: StoredFile, addresses: FileAddresses, words: Words): Html {
  const shown = shownPicture(file, addresses)
  if (shown.url === addresses.url && !inBrowsers.kinds.includes(file.kind))
    return html`<a class="picture" href="${pathOn(addresses.url)}" title="${titleOf(file)}">${noPicture(file, false)}</a>`
  return html`<a class="picture" href="${pathOn(addresses.url)}" title="${words.openFullSize}"><img
${sources(file, addresses, shown)}
width="${shown.width}" height="${shown.height}" alt="${titleOf(file)}"${isSheer(file) ? html` class="sheer"` : undefined}${placeholder(file)}${lazily(file)}>${noPicture(file, true)}</a>`
}

/** The medium variant is enough for a small window, but it is not animated, and an SVG scales by itself. */
function sources(file: StoredFile, addresses: FileAddresses, shown: Shown): Html {
  const medium = variantOf(file, 'medium')
  const isOnly = shown.url !== addresses.url || file.isAnimated || file.kind === 'svg'
  if (!medium || isOnly) return html`src="${pathOn(shown.url)}"`
  const [small, large] = [pathOn(addresses.urlOf(medium)), pathOn(shown.url)]
  return html`src="${small}" srcset="${small} ${medium.width}w, ${large} ${shown.width}w" sizes="${sizesOf(shown)}"`
}

function player(file: StoredFile, addresses: FileAddresses): Html {
  const frame = file.isNsfw ? undefined : variantOf(file, 'frame')
  const poster = frame && html` poster="${pathOn(addresses.urlOf(frame))}"`
  return html`<video controls playsinline preload="${file.isNsfw ? 'none' : 'metadata'}" src="${pathOn(addresses.url)}"${poster}
width="${file.width}" height="${file.height}" aria-label="${titleOf(file)}"></video>${noPicture(file, true)}`
}

const lazily = ({ isNsfw }: StoredFile) => (isNsfw ? html` loading="lazy"` : html` fetchpriority="high"`)

/** Drawn by the script until the picture is there. */
const placeholder = (file: StoredFile) =>
  file.isNsfw || file.placeholder === undefined ? undefined : html` data-placeholder="${file.placeholder}"`

/** The smallest of the window's width, the file's width, and the width at 80 % of the window's height. */
const sizesOf = ({ width, height }: Shown): string =>
  `min(100vw, ${width}px, calc(80vh * ${(width / height).toFixed(4)}))`

/** May have transparent parts, and is large enough to show what lies behind them. */
const isSheer = ({ kind, channels, width, height }: StoredFile) =>
  Math.max(width, height) >= 200 && (channels === 2 || channels === 4 || kind === 'svg' || kind === 'gif')
