import { type Html, html } from '../../lib/html.ts'
import { assetPath } from '../assets/assets.ts'
import { mark } from '../parts/mark.ts'
import type { Brand, Reader, ShownBrandPicture } from '../reader.ts'

/** The way home: the logo of the site, else our mark and the name. Without a site it leads nowhere. */
export function brandMark({ account, theme }: Reader, siteName: string | undefined): Html {
  if (siteName === undefined) return html`<span class="brand">${mark()}<span>Terrace</span></span>`
  const name = account?.brand.name || siteName
  const logo = account && logoOf(account.brand, theme, name)
  return html`<a class="brand" href="/">${logo ?? html`${mark()}<span dir="auto">${name}</span>`}</a>`
}

/** A chosen theme has one logo; else the browser takes that of its own theme. */
function logoOf({ logo, logoDark }: Brand, theme: Reader['theme'], name: string): Html | undefined {
  const first = theme === 'dark' ? (logoDark ?? logo) : (logo ?? logoDark)
  if (!first) return undefined
  const hasBoth = theme === 'auto' && logo !== undefined && logoDark !== undefined
  return html`<picture>${hasBoth ? html`<source media="(prefers-color-scheme: dark)" srcset="${logoDark.path}" width="${logoDark.width}" height="${logoDark.height}">` : undefined}${image(first, name)}</picture>`
}

const image = ({ path, width, height }: ShownBrandPicture, name: string): Html =>
  html`<img class="logo" src="${path}" alt="${name}" width="${width}" height="${height}">`

export function iconLink({ account }: Reader): Html {
  const { icon } = account?.brand ?? {}
  return icon
    ? html`<link rel="icon" type="${icon.mime}" sizes="${icon.width}x${icon.height}" href="${icon.path}">
<link rel="apple-touch-icon" href="${icon.path}">`
    : html`<link rel="icon" type="image/svg+xml" href="${assetPath('mark.svg')}">`
}
