import { type StoredFile, variantOf } from '../../../media/index.ts'
import type { FileAddresses } from '../../file-addresses.ts'
import { type Html, html } from '../../html.ts'
import { titleOf } from './title.ts'

/** Kinds that every browser shows. */
const shownKinds = new Set(['jpeg', 'png', 'gif', 'webp', 'avif', 'svg', 'bmp'])

/** A larger file is shown in its medium version, and the file itself to those who ask for it. */
const mostShownBytes = 20_000_000

interface Shown {
  url: string
  mime: string
  width: number
  height: number
}

/** The file itself where a browser can show it, else the best version of it. */
export function shownPicture(file: StoredFile, addresses: FileAddresses, mostBytes = mostShownBytes): Shown {
  const medium = variantOf(file, 'frame') ?? variantOf(file, 'medium') ?? variantOf(file, 'thumb')
  const isFit = file.type === 'image' && shownKinds.has(file.kind) && file.sizeBytes <= mostBytes
  return isFit || !medium ? { ...file, url: addresses.url } : { ...medium, url: addresses.urlOf(medium) }
}

export const pathOf = (url: string): string => new URL(url).pathname

/** What the page is about, in the size that suits the window. Behind a cover, it is loaded when the cover is lifted. */
export function stage(file: StoredFile, addresses: FileAddresses): Html {
  const content = file.type === 'video' ? player(file, addresses) : picture(file, addresses)
  if (!file.isNsfw) return html`<div class="stage">${content}</div>`
  return html`<div class="stage"><details class="cover">
<summary><strong>Not safe for everyone</strong><span class="button">Show it anyway</span><span class="again">Hide it again</span></summary>
${content}
</details></div>`
}

function picture(file: StoredFile, addresses: FileAddresses): Html {
  const shown = shownPicture(file, addresses)
  const looks = [...(isTall(shown) ? ['tall'] : []), ...(isSheer(file) ? ['sheer'] : [])].join(' ')
  return html`<a class="picture" href="${pathOf(addresses.url)}" title="Open the file in full size"><img
${sources(file, addresses, shown)}
width="${shown.width}" height="${shown.height}" alt="${titleOf(file)}"${looks ? html` class="${looks}"` : undefined}${lazily(file)}></a>`
}

/** The medium version is enough for a small window. It would not move, and a drawing has no size of its own. */
function sources(file: StoredFile, addresses: FileAddresses, shown: Shown): Html {
  const medium = variantOf(file, 'medium')
  const isOnly = shown.url !== addresses.url || file.isAnimated || file.kind === 'svg'
  if (!medium || isOnly) return html`src="${pathOf(shown.url)}"`
  const [small, large] = [pathOf(addresses.urlOf(medium)), pathOf(shown.url)]
  return html`src="${small}" srcset="${small} ${medium.width}w, ${large} ${shown.width}w" sizes="${sizesOf(shown)}"`
}

function player(file: StoredFile, addresses: FileAddresses): Html {
  const frame = variantOf(file, 'frame')
  const poster = frame && html` poster="${pathOf(addresses.urlOf(frame))}"`
  return html`<video controls playsinline preload="${file.isNsfw ? 'none' : 'metadata'}" src="${pathOf(addresses.url)}"${poster}
width="${file.width}" height="${file.height}" aria-label="${titleOf(file)}"></video>`
}

const lazily = (file: StoredFile) => (file.isNsfw ? html` loading="lazy"` : html` fetchpriority="high"`)

/** So tall that it could not be made out when it had to fit the window: it is scrolled. */
const isTall = ({ width, height }: Shown) => height > width * 2.5 && height > 800

/** As wide as the window, the file, or the height that is left for it. */
function sizesOf(shown: Shown): string {
  const fits = `calc(80vh * ${(shown.width / shown.height).toFixed(4)})`
  return isTall(shown) ? `min(100vw, ${shown.width}px)` : `min(100vw, ${shown.width}px, ${fits})`
}

/** Something may be seen through it. */
const isSheer = ({ kind, channels }: StoredFile) =>
  channels === 2 || channels === 4 || kind === 'svg' || kind === 'gif'
