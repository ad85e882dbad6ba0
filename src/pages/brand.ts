import { createHash } from 'node:crypto'
import { contrast, lightnessOf, mix, parseHex, type Rgb, withLightness, writeHex } from '../lib/colours.ts'
import { type Html, html } from '../lib/html.ts'
import { type BrandPicture, type BrandSlot, listBrandPictures } from '../media/index.ts'
import { readSettings, type Site } from '../site/index.ts'
import { assetPath } from '../ui/assets/assets.ts'
import { mark } from '../ui/parts/icon.ts'
import type { Brand, Reader, ShownBrandPicture } from '../ui/reader.ts'

/** The address has the hash of the bytes, so that it may be kept for good. */
const pathOfBrandPicture = ({ sha256, extension }: BrandPicture): string => `/-/brand/${sha256}.${extension}`

/** What a site shows in place of our own look. */
export async function brandOf(site: Site): Promise<Brand> {
  const [{ site_name: name, accent }, pictures] = await Promise.all([
    readSettings(site),
    listBrandPictures(site),
  ])
  const inSlot = (slot: BrandSlot) => {
    const picture = pictures.find((each) => each.slot === slot)
    return picture && { ...picture, path: pathOfBrandPicture(picture) }
  }
  return { name, accent, logo: inSlot('logo'), logoDark: inSlot('logo-dark'), icon: inSlot('icon') }
}

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

/** The name has the accent and the hash of the text, so that every server answers it without a row, for good. */
interface BrandSheet {
  path: string
  text: string
}

const known = new Map<string, BrandSheet>()
const mostKnown = 1_000

/** The stylesheet of an accent `#rrggbb`; undefined for another text. */
export function brandSheet(accent: string): BrandSheet | undefined {
  const colour = parseHex(accent)
  if (!colour) return undefined
  const name = writeHex(colour)
  const sheet = known.get(name) ?? writeSheet(colour)
  // Any caller may ask for any colour.
  if (known.size >= mostKnown) known.clear()
  known.set(name, sheet)
  return sheet
}

function writeSheet(colour: Rgb): BrandSheet {
  const [light, dark] = [brandColours(colour, 'light'), brandColours(colour, 'dark')]
  const both = (part: keyof typeof light) => `light-dark(${writeHex(light[part])}, ${writeHex(dark[part])})`
  const text = `:root {
  --accent: ${both('accent')};
  --on-accent: ${both('onAccent')};
  --accent-soft: ${both('soft')};
}
`
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { path: `/-/brand-${writeHex(colour).slice(1)}-${hash}.css`, text }
}

/** The grounds of `web/styles/tokens.css`, the paper first. */
export const backgrounds = {
  light: [
    [0xf6, 0xf4, 0xee],
    [0xff, 0xff, 0xff],
    [0xeb, 0xe8, 0xdf],
  ],
  dark: [
    [0x13, 0x15, 0x12],
    [0x1c, 0x1f, 0x1b],
    [0x0c, 0x0d, 0x0b],
  ],
} as const satisfies Record<string, readonly [Rgb, Rgb, Rgb]>

export type Theme = keyof typeof backgrounds

/** WCAG 2.2, AA: the contrast of text. */
export const leastContrast = 4.5

const tintShares = { light: 0.14, dark: 0.2 } as const
const step = 0.005
const [black, white]: [Rgb, Rgb] = [
  [0, 0, 0],
  [255, 255, 255],
]

interface BrandColours {
  accent: Rgb
  /** Text on the accent. */
  onAccent: Rgb
  /** A ground with a little of the accent. */
  soft: Rgb
}

/** The accent in a theme: its hue stays, its lightness moves until text in it can be read on every ground. */
export function brandColours(chosen: Rgb, theme: Theme): BrandColours {
  const [direction, last] = theme === 'light' ? [-step, 0] : [step, 1]
  let lightness = lightnessOf(chosen)
  let accent = chosen
  while (!isReadable(accent, theme) && lightness !== last) {
    lightness = Math.min(Math.max(lightness + direction, 0), 1)
    accent = withLightness(chosen, lightness)
  }
  const onAccent = contrast(accent, white) >= contrast(accent, black) ? white : black
  return { accent, onAccent, soft: softOf(accent, theme) }
}

const softOf = (accent: Rgb, theme: Theme): Rgb => mix(accent, backgrounds[theme][0], tintShares[theme])

const isReadable = (accent: Rgb, theme: Theme): boolean =>
  [...backgrounds[theme], softOf(accent, theme)].every(
    (background) => contrast(accent, background) >= leastContrast,
  )
