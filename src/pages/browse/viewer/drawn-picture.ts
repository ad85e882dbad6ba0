import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { type Offering, type PictureSource, pictureSources } from '../../../http/addresses/picture-sources.ts'
import { kindsShownIn } from '../../../imaging/index.ts'
import { drawingOf, type StoredFile, variantOf } from '../../../media/index.ts'

/** What browsers show. Of a larger file the page shows a smaller picture and links to the file. */
const inBrowsers = { kinds: kindsShownIn('browsers'), mostBytes: 20_000_000 }
/** What link previews accept. */
export const inPreviews = { kinds: kindsShownIn('link-previews'), mostBytes: 5_000_000 }

export interface Size {
  width: number
  height: number
}

interface Shown extends Size {
  url: string
  mime: string
}

/** The file itself if it can be shown, else its largest variant. */
export function shownPicture(file: StoredFile, addresses: FileAddresses, where = inBrowsers): Shown {
  const version = variantOf(file, 'frame') ?? variantOf(file, 'medium') ?? variantOf(file, 'thumb')
  const isFit = where.kinds.includes(file.kind) && file.sizeBytes <= where.mostBytes
  return isFit || !version ? { ...file, url: addresses.url } : { ...version, url: addresses.urlOf(version) }
}

/** A picture that is loaded by itself. */
export interface Zoomed extends Size {
  url: string
}

/** A picture on a page, of which the browser loads the width that its screen needs. */
export interface DrawnPicture {
  /** What it leads to: the file, or the most of it that the reader may have. */
  link: string
  /** Undefined if no browser shows it. */
  shown: (Zoomed & { sources: readonly PictureSource[] | undefined }) | undefined
  zoomed: Zoomed | undefined
}

/** Undefined if there is no picture that the reader may have. `mayBeWhole`: the reader may have the file itself. */
export function drawnPicture(
  file: StoredFile,
  addresses: FileAddresses,
  mayBeWhole: boolean,
): DrawnPicture | undefined {
  const sources = addresses.sized && pictureSources(file, addresses, { mayBeWhole, isBrief: true })
  const largest = sources?.at(-1)
  if (!largest) return storedPicture(file, addresses, mayBeWhole)
  const own = file.type === 'video' ? (variantOf(file, 'frame') ?? file) : file
  const small = drawingOf(file)
  const isShown = mayBeWhole && inBrowsers.kinds.includes(file.kind)
  const zoomed =
    isShown && file.sizeBytes <= inBrowsers.mostBytes
      ? { url: addresses.url, width: file.width, height: file.height }
      : { url: largest.url, ...scaled(own, largest.width) }
  return {
    link: mayBeWhole ? addresses.url : largest.url,
    shown: {
      url: small && small.variant !== 'thumb' ? addresses.urlOf(small) : zoomed.url,
      width: own.width,
      height: own.height,
      sources: pageSources(file, addresses, { mayBeWhole, isBrief: true })?.filter(isOfStage),
    },
    zoomed,
  }
}

/** No window is narrower, unless the picture is. */
const isOfStage = ({ width }: PictureSource, at: number, all: readonly PictureSource[]) =>
  width > 320 || at === all.length - 1

/** A file of so few bytes is sent as it is, where its whole width is needed: a screenshot stays sharp. */
const mostWholeBytes = 300_000

/** What pages offer of a picture, by width; undefined where no other sizes are made, and of what needs none. */
export function pageSources(
  file: StoredFile,
  addresses: FileAddresses,
  offering: Offering,
): readonly PictureSource[] | undefined {
  const sources = addresses.sized && pictureSources(file, addresses, offering)
  const isSent =
    offering.mayBeWhole && inBrowsers.kinds.includes(file.kind) && file.sizeBytes <= mostWholeBytes
  if (!sources || !isSent) return sources
  return [...sources.filter(({ width }) => width < file.width), { url: addresses.url, width: file.width }]
}

const scaled = ({ width, height }: Size, to: number): Size => ({
  width: to,
  height: Math.max(1, Math.round((height * to) / width)),
})

/** Where no other sizes are made, and of what needs none: the file, or a variant. */
function storedPicture(
  file: StoredFile,
  addresses: FileAddresses,
  mayBeWhole: boolean,
): DrawnPicture | undefined {
  if (!mayBeWhole) {
    const drawing = drawingOf(file)
    if (!drawing) return undefined
    const { width, height } = drawing
    const shown = { url: addresses.urlOf(drawing), width, height }
    return { link: shown.url, shown: { ...shown, sources: undefined }, zoomed: shown }
  }
  const { url, width, height } = shownPicture(file, addresses)
  const isFile = url === addresses.url
  if (isFile && !inBrowsers.kinds.includes(file.kind))
    return { link: addresses.url, shown: undefined, zoomed: undefined }
  const medium = variantOf(file, 'medium')
  const whole = { url, width, height }
  // The medium is enough for a small window, but it is not animated, and an SVG scales by itself.
  const isOnly = !medium || !isFile || file.isAnimated || file.kind === 'svg'
  if (isOnly) return { link: addresses.url, shown: { ...whole, sources: undefined }, zoomed: whole }
  const small = { url: addresses.urlOf(medium), width: medium.width }
  return { link: addresses.url, shown: { ...whole, url: small.url, sources: [small, whole] }, zoomed: whole }
}

/** Wide enough for the player of most windows. */
const posterWidth = 1280

/** A poster has one address. */
export function posterOf(file: StoredFile, addresses: FileAddresses): string | undefined {
  const frame = variantOf(file, 'frame')
  if (!frame) return undefined
  return frame.width > posterWidth && addresses.sized ? addresses.sized(posterWidth) : addresses.urlOf(frame)
}
