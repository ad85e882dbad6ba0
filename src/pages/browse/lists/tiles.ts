import type { SharedAccess } from '../../../accounts/index.ts'
import { tileRatio } from '../../../common/tile.ts'
import type { TileData } from '../../../common/wire.ts'
import { addressesOf, type FileAddresses, signingOf } from '../../../http/addresses/file-addresses.ts'
import { kindsShownIn } from '../../../imaging/index.ts'
import { drawingOf, isWithheld, type ShownFile, type StoredFile, variantOf } from '../../../media/index.ts'
import type { PageCall } from '../../page-call.ts'
import { pageSources } from '../viewer/drawn-picture.ts'
import { pathOn, withheldPicturePath } from '../viewer/picture.ts'
import { titleOf } from '../viewer/title.ts'
import type { FileList } from './file-list.ts'

type TileRequest = Pick<PageCall, 'app' | 'site' | 'request'>

export function addressesFor(
  { app, site, request }: TileRequest,
  shown: ShownFile,
  share?: SharedAccess,
): FileAddresses {
  const signing = shown.isProtected ? signingOf(site.clock.now(), share) : undefined
  return addressesOf(app, site, shown.file, { forwarded: request.client.scheme, signing })
}

/** A file as grids show it. */
export function tileOf(
  call: TileRequest,
  shown: ShownFile,
  { caller, sharePath }: Partial<FileList> = {},
): TileData {
  const { file } = shown
  const share = sharePath === undefined ? undefined : caller?.share
  const addresses = addressesFor(call, shown, share)
  const ownPath = file.deletedAt ? trashedPath(file) : addresses.viewerPath
  const path = sharePath === undefined ? ownPath : `${sharePath}/${file.id}`
  return {
    id: file.id,
    path,
    title: titleOf(file),
    version: file.version,
    ...(file.isNsfw
      ? { picture: null, srcset: null }
      : smallPictures(file, addresses, share?.allowsDownload)),
    width: file.width,
    height: file.height,
    placeholder: file.isNsfw ? null : (file.placeholder ?? null),
    badge: file.type === 'video' ? lengthOf(file.durationSeconds) : null,
    isCovered: file.isNsfw,
    // The page of a share names the owner, and shows what its visitors may see.
    isClosed: sharePath === undefined && (shown.privacy === 'private' || shown.privacy === 'password'),
    owner: sharePath === undefined ? (shown.username ?? null) : null,
  }
}

const kindsOfBrowsers = kindsShownIn('browsers')
const mostBytes = 300_000

interface SmallPictures {
  picture: string | null
  /** What a tile may load, by width; null where there is one picture. */
  srcset: string | null
}

/** In pixels of the screen, for the height that a tile has: on a plain screen, and on one with two or three pixels for one. */
const heights = [
  { height: 256, mostWidth: 640 },
  { height: 512, mostWidth: 1280 },
] as const

/** Two widths are enough for every screen, and a page has them for each of its files. */
export function smallPictures(file: StoredFile, addresses: FileAddresses, mayBeWhole = true): SmallPictures {
  const picture = smallPicture(file, addresses, mayBeWhole)
  const sources = isWithheld(file) ? undefined : pageSources(file, addresses, { mayBeWhole, isBrief: true })
  if (!sources) return { picture, srcset: null }
  const ratio = tileRatio(file)
  const [small, large] = heights.map(({ height, mostWidth }) => {
    const needed = Math.min(ratio * height, mostWidth)
    return sources.find(({ width }) => width >= needed) ?? sources.at(-1)
  })
  if (!small || !large || small === large)
    return { picture: small ? pathOn(small.url) : picture, srcset: null }
  const srcset = [small, large].map(({ url, width }) => `${pathOn(url)} ${width}w`).join(', ')
  return { picture, srcset }
}

/** In the shape of the file if there is one; the thumb is cut to a square. A withheld file is listed to its owner and the staff alone. */
export function smallPicture(
  file: StoredFile,
  addresses: FileAddresses,
  mayBeOriginal = true,
): string | null {
  if (isWithheld(file)) return drawingOf(file) ? withheldPicturePath(file) : null
  const shaped = variantOf(file, 'medium') ?? variantOf(file, 'frame')
  if (shaped) return pathOn(addresses.urlOf(shaped))
  const isSmall = file.type === 'image' && kindsOfBrowsers.includes(file.kind) && file.sizeBytes <= mostBytes
  if (mayBeOriginal && isSmall && !file.isAnimated) return pathOn(addresses.url)
  const thumb = variantOf(file, 'thumb')
  return thumb ? pathOn(addresses.urlOf(thumb)) : null
}

/** The page of a file in the trash. */
export const trashedPath = ({ id }: Pick<StoredFile, 'id'>): string => `/mine/trash/${id}`

export const lengthOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
