import type { TileData } from '../../../common/wire.ts'
import { addressesOf, type FileAddresses, usualSigning } from '../../../http/addresses/file-addresses.ts'
import { kindsShownIn } from '../../../imaging/index.ts'
import { drawingOf, isWithheld, type ShownFile, type StoredFile, variantOf } from '../../../media/index.ts'
import type { PageCall } from '../../page-call.ts'
import { pathOn, withheldPicturePath } from '../viewer/picture.ts'
import { titleOf } from '../viewer/title.ts'

type TileRequest = Pick<PageCall, 'app' | 'site' | 'request'>

export function addressesFor({ app, site, request }: TileRequest, shown: ShownFile): FileAddresses {
  const signing = shown.isProtected ? usualSigning(site.clock.now()) : undefined
  return addressesOf(app, site, shown.file, { forwarded: request.client.scheme, signing })
}

/** A file as grids show it. */
export function tileOf(call: TileRequest, shown: ShownFile): TileData {
  const { file } = shown
  const addresses = addressesFor(call, shown)
  const path = file.deletedAt ? trashedPath(file) : addresses.viewerPath
  return {
    id: file.id,
    path,
    title: titleOf(file),
    version: file.version,
    picture: file.isNsfw ? null : smallPicture(file, addresses),
    placeholder: file.isNsfw ? null : (file.placeholder ?? null),
    badge: file.type === 'video' ? lengthOf(file.durationSeconds) : null,
    isCovered: file.isNsfw,
  }
}

const kindsOfBrowsers = kindsShownIn('browsers')
const mostBytes = 300_000

/** In the shape of the file if there is one; the thumb is cut to a square. A withheld file is listed to its owner and the staff alone. */
export function smallPicture(file: StoredFile, addresses: FileAddresses): string | null {
  if (isWithheld(file)) return drawingOf(file) ? withheldPicturePath(file) : null
  const shaped = variantOf(file, 'medium') ?? variantOf(file, 'frame')
  if (shaped) return pathOn(addresses.urlOf(shaped))
  const isSmall = file.type === 'image' && kindsOfBrowsers.includes(file.kind) && file.sizeBytes <= mostBytes
  if (isSmall && !file.isAnimated) return pathOn(addresses.url)
  const thumb = variantOf(file, 'thumb')
  return thumb ? pathOn(addresses.urlOf(thumb)) : null
}

/** The page of a file in the trash. */
export const trashedPath = ({ id }: Pick<StoredFile, 'id'>): string => `/mine/trash/${id}`

export const lengthOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
