import { type StoredFile, variantOf } from '../../../media/index.ts'
import type { FileAddresses } from '../../file-addresses.ts'
import { type Html, html } from '../../html.ts'
import { titleOf } from './title.ts'

/** What browsers show. A larger file is shown in its medium version, and the file itself to those who ask for it. */
const inBrowsers = { kinds: ['jpeg', 'png', 'gif', 'webp', 'avif', 'svg', 'bmp'], mostBytes: 20_000_000 }
/** What programs take that show a link to others. */
export const inPreviews = { kinds: ['jpeg', 'png', 'gif', 'webp'], mostBytes: 5_000_000 }

interface Shown {
  url: string
  mime: string
  width: number
  height: number
}

/** The file itself where it can be shown, else the best version of it. */
export function shownPicture(file: StoredFile, addresses: FileAddresses, where = inBrowsers): Shown {
  const version = variantOf(file, 'frame') ?? variantOf(file, 'medium') ?? variantOf(file, 'thumb')
  const isFit = where.kinds.includes(file.kind) && file.sizeBytes <= where.mostBytes
  return isFit || !version ? { ...file, url: addresses.url } : { ...version, url: addresses.urlOf(version) }
}

/** Within the site, so that the page works under whatever name and port it was reached. */
export const pathOn = (url: string): string => new URL(url).pathname

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
  return html`<a class="picture" href="${pathOn(addresses.url)}" title="Open the file in full size"><img
${sources(file, addresses, shown)}
width="${shown.width}" height="${shown.height}" alt="${titleOf(file)}"${looks ? html` class="${looks}"` : undefined}${lazily(file)}></a>`
}

/** The medium version is enough for a small window. It would not move, and a drawing has no size of its own. */
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
