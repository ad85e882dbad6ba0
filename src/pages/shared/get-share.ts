import { addressesOf, signingOf } from '../../http/addresses/file-addresses.ts'
import { isPrefetchOrBot } from '../../http/requests/user-agents.ts'
import { readCursor, writeCursor } from '../../http/responses/cursors.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import type { Refusal } from '../../lib/refusal.ts'
import {
  isUploadOnly,
  listShownFiles,
  type OpenedShare,
  readAlbum,
  readAlbumTitle,
  readFile,
  readShownFile,
  type Share,
  type ShownFile,
  shareOfToken,
  variantOf,
} from '../../media/index.ts'
import { countView } from '../browse/viewer/count-view.ts'
import { pathOn, shownPicture } from '../browse/viewer/picture.ts'
import { titleOf } from '../browse/viewer/title.ts'
import { sendPage } from '../headers.ts'
import { readerOf } from '../reader.ts'
import { collectingData } from './collecting-data.ts'
import {
  type SharedFile,
  sharedAlbumPage,
  sharedFilePage,
  sharePasswordPage,
  titlePage,
} from './share-pages.ts'
import {
  callerOf,
  checkViewsLeft,
  hideAddress,
  openedBefore,
  openNow,
  type ShareRequest,
} from './share-request.ts'

/** The page of a share. A browser uses a view with the first page of an hour. */
export const getSharePage: SiteHandle = (app) => async (site, request, reply) => {
  hideAddress(reply)
  const shareRequest = { app, site, request, reply }
  const { token } = request.params as { token: string }
  const share = await shareOfToken(site, token)
  const before = await openedBefore(shareRequest, share)
  if (!before) checkViewsLeft(share)
  if (!before && (request.method === 'HEAD' || isPrefetchOrBot(request.headers)))
    return sendSharePage(
      shareRequest,
      titlePage({ ...frameOf(shareRequest), title: await openTitle(shareRequest, share) }),
    )
  if (!before && share.passwordHash !== undefined)
    return askSharePassword(shareRequest, { share, refusal: undefined })
  const opened = before ?? (await openNow(shareRequest, { token }))
  return sendSharePage(shareRequest, await pageOf(shareRequest, opened, token))
}

export const askSharePassword = (
  shareRequest: ShareRequest,
  { share, refusal }: { share: Share; refusal: Refusal | undefined },
) => sendSharePage(shareRequest, sharePasswordPage({ ...frameOf(shareRequest), share, refusal }))

const frameOf = ({ site, request }: ShareRequest) => ({ siteName: site.hostname, reader: readerOf(request) })

const sendSharePage = ({ app, request, reply }: ShareRequest, page: string) =>
  sendPage(app, request, reply, page)

/** What a link preview may say: nothing of a share with a password. */
async function openTitle({ site, request }: ShareRequest, share: Share): Promise<string> {
  if (share.passwordHash !== undefined) return readerOf(request).words.passwordNeeded
  return share.fileId === undefined
    ? readAlbumTitle(site, share.albumId ?? '')
    : titleOf(await readFile(site, share.fileId))
}

async function pageOf(shareRequest: ShareRequest, opened: OpenedShare, token: string): Promise<string> {
  const { site } = shareRequest
  const { fileId, albumId = '' } = opened.share
  if (fileId === undefined) return albumPageOf(shareRequest, { opened, albumId, token })
  const shown = await readShownFile(site, callerOf(opened), { id: fileId })
  return sharedFilePage({ ...frameOf(shareRequest), shared: sharedFile(shareRequest, opened, shown) })
}

const filesOfPage = 100

interface SharedAlbum {
  opened: OpenedShare
  albumId: string
  token: string
}

async function albumPageOf(
  shareRequest: ShareRequest,
  { opened, albumId, token }: SharedAlbum,
): Promise<string> {
  const { site, request } = shareRequest
  const { share } = opened
  const query = new URL(request.url, 'http://site').searchParams
  const page = {
    ...frameOf(shareRequest),
    upload: await collectingData(shareRequest, share, token),
    hasSent: query.has('sent'),
  }
  if (isUploadOnly(share)) {
    const title = await readAlbumTitle(site, albumId)
    return sharedAlbumPage({ ...page, title, description: undefined, files: [], next: undefined })
  }
  const caller = callerOf(opened)
  const { title, description, sort, id, views } = await readAlbum(site, caller, albumId)
  const list = { list: 'shared files', sort, filter: { albumId } }
  const cursor = query.get('cursor')
  // Once for the album, not for each page of its files.
  if (cursor === null) countView(shareRequest.app, site, { request, seen: { kind: 'album', id, views } })
  const call = { app: shareRequest.app, site, caller, query: cursor === null ? {} : { cursor } }
  const isDescending = sort.startsWith('-')
  const found = await listShownFiles(site, caller, {
    selection: { albumId },
    sort: { by: sort.slice(isDescending ? 1 : 0) as 'position', isDescending },
    after: readCursor(call, list),
    limit: filesOfPage + 1,
    hasExif: false,
  })
  const files = found.slice(0, filesOfPage)
  const last = found.length > filesOfPage ? files.at(-1) : undefined
  return sharedAlbumPage({
    ...page,
    title,
    description,
    files: files.map((shown) => sharedFile(shareRequest, opened, shown)),
    next: last && `cursor=${writeCursor(call, list, last.position)}`,
  })
}

/** What the share sends of a file: without download smaller versions alone. */
function sharedFile({ app, site, request }: ShareRequest, opened: OpenedShare, shown: ShownFile): SharedFile {
  const { file } = shown
  const signing = shown.isProtected ? signingOf(site.clock.now(), callerOf(opened).share) : undefined
  const addresses = addressesOf(app, site, file, { forwarded: request.client.scheme, signing })
  const pictureOf = (variant: ReturnType<typeof variantOf>) =>
    variant && {
      path: pathOn(addresses.urlOf(variant)),
      width: variant.width,
      height: variant.height,
    }
  const thumb = pictureOf(variantOf(file, 'thumb'))
  const small = pictureOf(variantOf(file, 'frame') ?? variantOf(file, 'medium')) ?? thumb
  const { allowsDownload } = opened.share
  const best = shownPicture(file, addresses)
  const whole = file.type === 'image' ? { ...best, path: pathOn(best.url) } : small
  return {
    file,
    title: titleOf(file),
    thumb,
    shown: allowsDownload ? whole : small,
    download: allowsDownload ? pathOn(addresses.url) : undefined,
  }
}
