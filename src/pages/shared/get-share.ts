import type { FastifyReply } from 'fastify'
import { isPrefetch, isPrefetchOrBot } from '../../http/requests/user-agents.ts'
import { siteKey } from '../../http/site-key.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import { isId } from '../../lib/ids.ts'
import type { Refusal } from '../../lib/refusal.ts'
import {
  checkViewsLeft,
  fileNotFound,
  isUploadOnly,
  neighboursOf,
  openedUncounted,
  passOf,
  readAlbum,
  readAlbumTitle,
  readFile,
  readShownFile,
  type SeenAlbum,
  type Share,
  type StoredFile,
  shareOfToken,
} from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { filesOf } from '../browse/albums/album-zip.ts'
import { sendZip } from '../browse/albums/send-zip.ts'
import { type FileList, sortOf, visitorOf } from '../browse/lists/file-list.ts'
import { readFilePage } from '../browse/lists/read-page.ts'
import { addressesFor } from '../browse/lists/tiles.ts'
import { countView } from '../browse/viewer/count-view.ts'
import { titleOf } from '../browse/viewer/title.ts'
import { sendPage } from '../headers.ts'
import type { PageCall } from '../page-call.ts'
import { collectingPage } from './collecting-page.ts'
import { galleryPage, sharedFilePage } from './gallery-pages.ts'
import { openedBefore, openNow, shareCallOf, type Visit } from './share-request.ts'
import { sharePasswordPage, titlePage } from './title-pages.ts'

/**
 * A page of a share. A browser uses a view with the first page of an hour. What is shown does not depend on the user agent:
 * people read pages in apps whose names are those of bots. Only the look of a bot is no view.
 */
const ofVisit =
  (answer: (call: PageCall, visit: Visit) => Promise<string | FastifyReply>): SiteHandle =>
  (app) =>
  async (site, request, reply) => {
    const call = await shareCallOf(app, site, request, reply)
    const { token = '' } = call.params
    const share = await shareOfToken(site, token)
    const before = await openedBefore(call, share)
    if (!before) checkViewsLeft(share)
    if (!before && share.passwordHash !== undefined)
      return askSharePassword(call, { share, refusal: undefined })
    if (!before && isPrefetch(request.headers))
      return sendPage(app, request, reply, titlePage(call, await titleOfShare(site, share)))
    const isUncounted = !before && (request.method === 'HEAD' || isPrefetchOrBot(request.headers))
    const opened =
      before ?? (isUncounted ? openedUncounted(share, site.clock.now()) : await openNow(call, { token }))
    const page = await answer(call, { opened, caller: visitorOf(opened), token, isIn: !isUncounted })
    return typeof page === 'string' ? sendPage(app, request, reply, page) : page
  }

export const askSharePassword = (
  call: PageCall,
  question: { share: Share; refusal: Refusal | undefined },
): FastifyReply => sendPage(call.app, call.request, call.reply, sharePasswordPage(call, question))

const titleOfShare = async (site: Site, { albumId = '', fileId }: Share): Promise<string> =>
  fileId === undefined ? readAlbumTitle(site, albumId) : titleOf(await readFile(site, fileId))

export const getSharePage: SiteHandle = ofVisit(async (call, visit) => {
  const { share } = visit.opened
  if (share.fileId !== undefined) return filePageOf(call, visit, share.fileId)
  const { app, site, request, query } = call
  // The queue asks what is left without looking at the album.
  const isAsking = share.allowsUpload && query.has('left')
  if (isUploadOnly(share) || isAsking) return collectingPage(call, visit)
  const album = await readAlbum(site, visit.caller, share.albumId ?? '')
  const page = await readFilePage(call, listOf(call, visit, album))
  const { id, views } = album
  // Once for the album, not for each page of its files.
  if (!query.has('after')) countView(app, site, { request, seen: { kind: 'album', id, views } })
  return galleryPage(call, visit, { album, page })
})

const listOf = ({ app, site }: PageCall, visit: Visit, { id, sort }: SeenAlbum): FileList => {
  const { caller, opened, token, isIn } = visit
  return {
    name: isIn ? `share:${token}:${passOf(siteKey(app, site, 'share passes'), opened)}` : '',
    selection: { albumId: id },
    sort: sortOf(sort),
    caller,
    sharePath: `/share/${token}`,
  }
}

/** A file of the share, as the gallery shows it over its list. */
export const getSharedFile: SiteHandle = ofVisit((call, visit) =>
  filePageOf(call, visit, call.params.id ?? ''),
)

async function filePageOf(call: PageCall, visit: Visit, id: string): Promise<string> {
  const { app, site, request } = call
  const { caller, opened, token } = visit
  const { albumId, fileId } = opened.share
  if (!isId(id) || isUploadOnly(opened.share)) throw fileNotFound()
  const shown = await readShownFile(site, caller, { id })
  const { file } = shown
  if (fileId === undefined ? file.albumId !== albumId : file.id !== fileId) throw fileNotFound()
  const album = albumId === undefined ? undefined : await readAlbum(site, caller, albumId)
  const beside = album && (await neighboursOf(site, caller, { file, sort: sortOf(album.sort) }))
  countView(app, site, { request, seen: { id, views: file.views } })
  const pathOf = (other: StoredFile | undefined) => other && `/share/${token}/${other.id}`
  return sharedFilePage(call, visit, {
    shown,
    addresses: addressesFor(call, shown, caller.share),
    album,
    previous: pathOf(beside?.previous),
    next: pathOf(beside?.next),
  })
}

/** All files of the shared album as one download. */
export const getShareZip: SiteHandle = ofVisit(async (call, visit) => {
  const { allowsDownload, albumId } = visit.opened.share
  if (!allowsDownload || albumId === undefined) throw fileNotFound()
  const album = await readAlbum(call.site, visit.caller, albumId)
  return sendZip(call, { name: album.title, files: await filesOf(call, listOf(call, visit, album)) })
})
