import { kindsShownIn } from '../../imaging/index.ts'
import { LruMap } from '../../lib/lru.ts'
import { offeredWidths, type StoredFile } from '../../media/index.ts'
import type { FileAddresses } from './file-addresses.ts'

/** A picture of a file that browsers may choose by its width. */
export interface PictureSource {
  url: string
  width: number
}

export interface Offering {
  /** Also the picture that has all pixels of the file, which a share may not give. */
  mayBeWhole: boolean
  /** Without the format in the address, which is the default. */
  isBrief?: boolean
}

/**
 * The pictures of a file by width, for `srcset`: those of the ladder, or the stored ones where no other sizes are made. Undefined if there
 * is nothing to choose from.
 */
export function pictureSources(
  file: StoredFile,
  addresses: FileAddresses,
  { mayBeWhole, isBrief }: Offering,
): readonly PictureSource[] | undefined {
  const { sized } = addresses
  if (!sized) return storedSources(file, addresses, mayBeWhole)
  return offeredWidths(file, { mayBeWhole })?.map(({ asked, width }) => ({
    url: sized(asked, isBrief),
    width,
  }))
}

const kindsOfBrowsers = kindsShownIn('browsers')

/** Every picture that browsers show, once for each width. A thumb is cut to a square, so it is another picture. */
function storedSources(
  file: StoredFile,
  addresses: FileAddresses,
  mayBeWhole: boolean,
): PictureSource[] | undefined {
  const isShown = mayBeWhole && file.type === 'image' && kindsOfBrowsers.includes(file.kind)
  const pictures = [
    ...file.variants
      .filter(({ variant }) => variant !== 'thumb')
      .map((variant) => ({ url: addresses.urlOf(variant), width: variant.width })),
    ...(isShown ? [{ url: addresses.url, width: file.width }] : []),
  ]
  if (pictures.length === 0) return undefined
  const byWidth = new Map(pictures.map((picture) => [picture.width, picture]))
  return [...byWidth.values()].sort((a, b) => a.width - b.width)
}

/** The sources as `img` elements of HTML have them; undefined if there are none. */
export function srcsetOf(
  file: StoredFile,
  addresses: FileAddresses,
  { mayBeWhole }: { mayBeWhole: boolean },
): string | undefined {
  const isSigned = addresses.sized !== undefined && /[?&]s=/.test(addresses.url)
  if (!isSigned) return written(pictureSources(file, addresses, { mayBeWhole }))
  // The address of the file has its path, end and share, and a signature that depends on all the rest.
  const name = `${addresses.url} ${file.width} ${mayBeWhole}`
  const known = signedSrcsets.get(name)
  if (known !== undefined) return known
  const srcset = written(pictureSources(file, addresses, { mayBeWhole }))
  if (srcset !== undefined) signedSrcsets.set(name, srcset)
  return srcset
}

/** Each has up to seven signatures, and is the same for a whole day. */
const signedSrcsets = new LruMap<string, string>(2_000)

const written = (sources: readonly PictureSource[] | undefined): string | undefined =>
  sources?.map(({ url, width }) => `${url} ${width}w`).join(', ')
