import { addressesOf, signingOf } from '../../http/addresses/file-addresses.ts'
import { isPrefetch, isPrefetchOrBot } from '../../http/requests/user-agents.ts'
import { readCursor, writeCursor } from '../../http/responses/cursors.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import type { Refusal } from '../../lib/refusal.ts'
import {
  checkViewsLeft,
  isFull,
  isUploadOnly,
  listShownFiles,
  type OpenedShare,
  openedUncounted,
  readAlbum,
  readAlbumTitle,
  readFile,
  readShownFile,
  type Share,
  type ShownFile,
  shareOfToken,
  variantOf,
} from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { countView } from '../browse/viewer/count-view.ts'
import { pathOn, shownPicture } from '../browse/viewer/picture.ts'
import { titleOf } from '../browse/viewer/title.ts'
import { sendPage } from '../headers.ts'
import { collectingData } from './collecting-data.ts'
import {
  type SharedFile,
  sharedAlbumPage,
  sharedFilePage,
  sharePasswordPage,
  titlePage,
} from './share-pages.ts'
import { callerOf, openedBefore, openNow, type ShareRequest, shareRequestOf } from './share-request.ts'

/** The page of a share. A browser uses a view with the first page of an hour. */
export const getSharePage: SiteHandle = (app) => async (site, request, reply) => {
  const shareRequest = await shareRequestOf(app, site, request, reply)
  const { token } = request.params as { token: string }
  const share = await shareOfToken(site, token)
  const before = await openedBefore(shareRequest, share)
  if (!before) checkViewsLeft(share)
  if (!before && share.passwordHash !== undefined)
    return askSharePassword(shareRequest, { share, refusal: undefined })
  if (!before && isPrefetch(request.headers))
    return sendSharePage(
      shareRequest,
      titlePage({ ...frameOf(shareRequest), title: await titleOfShare(site, share) }),
    )
  const opened = before ?? (await openFor(shareRequest, share, token))
  return sendSharePage(shareRequest, await pageOf(shareRequest, opened, token))
}

export const askSharePassword = (
  shareRequest: ShareRequest,
  { share, refusal }: { share: Share; refusal: Refusal | undefined },
) => sendSharePage(shareRequest, sharePasswordPage({ ...frameOf(shareRequest), share, refusal }))

/**
 * What is shown does not depend on the user agent: people read pages in apps whose names are those of bots. Only the look of a
 * bot is no view.
 */
const openFor = (
  shareRequest: ShareRequest,
  share: Share,
  token: string,
): Promise<OpenedShare> | OpenedShare =>
  shareRequest.request.method === 'HEAD' || isPrefetchOrBot(shareRequest.request.headers)
    ? openedUncounted(share, shareRequest.site.clock.now())
    : openNow(shareRequest, { token })

const frameOf = ({ site, reader }: ShareRequest) => ({ siteName: site.hostname, reader })

const sendSharePage = ({ app, request, reply }: ShareRequest, page: string) =>
  sendPage(app, request, reply, page)

const titleOfShare = async (site: Site, { albumId = '', fileId }: Share): Promise<string> =>
  fileId === undefined ? readAlbumTitle(site, albumId) : titleOf(await readFile(site, fileId))

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
    isFull: isFull(share),
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
