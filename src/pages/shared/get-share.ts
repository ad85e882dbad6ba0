import type { FastifyReply } from 'fastify'
import { isPrefetch, isPrefetchOrBot } from '../../http/requests/user-agents.ts'
import { siteKey } from '../../http/site-key.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import { isId } from '../../lib/ids.ts'
import type { Refusal } from '../../lib/refusal.ts'
import {
  checkViewsLeft,
  fileNotFound,
  isOfShare,
  isUploadOnly,
  neighboursOf,
  openedUncounted,
  passOf,
  readAlbum,
  readAlbumTitle,
  readFile,
  readShownFile,
  type Share,
  shareOfToken,
} from '../../media/index.ts'
import { sendPage } from '../../ui/headers.ts'
import { writeCount } from '../../words/format.ts'
import { filesOf } from '../browse/albums/album-zip.ts'
import { sendZip } from '../browse/albums/send-zip.ts'
import { type FileList, openShared, sortOf, visitorOf } from '../browse/lists/file-list.ts'
import { readFilePage } from '../browse/lists/read-page.ts'
import { addressesFor } from '../browse/lists/tiles.ts'
import { countView } from '../browse/viewer/count-view.ts'
import { titleOf } from '../browse/viewer/title.ts'
import type { PageCall } from '../page-call.ts'
import { collectingPage } from './collecting-page.ts'
import { type Gallery, galleryPage, sharedFilePage } from './gallery-pages.ts'
import { openedBefore, openNow, type ShareRequest, shareCallOf } from './share-request.ts'
import { sharePasswordPage, titlePage } from './title-pages.ts'

/**
 * A page of a share. A browser uses a view with the first page of an hour. What is shown does not depend on the user agent:
 * people read pages in apps whose names are those of bots. Only the look of a bot is no view.
 */
const ofShare =
  (answer: (call: PageCall, shareRequest: ShareRequest) => Promise<string | FastifyReply>): SiteHandle =>
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
      return sendPage(app, request, reply, titlePage(call, await titleOfShare(call, share)))
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

async function titleOfShare(call: PageCall, { albumId = '', fileId, fileIds }: Share): Promise<string> {
  if (fileIds) return titleOfFiles(call, fileIds)
  return fileId === undefined
    ? readAlbumTitle(call.site, albumId)
    : titleOf(await readFile(call.site, fileId))
}

const titleOfFiles = ({ reader: { words, language } }: PageCall, { length }: readonly string[]) =>
  writeCount(language, words.files, length)

export const getSharePage: SiteHandle = ofShare(async (call, shareRequest) => {
  const { share } = shareRequest.opened
  if (share.fileId !== undefined) return filePageOf(call, shareRequest, share.fileId)
  const { app, site, request, query } = call
  // The queue asks what is left without looking at the album.
  const isAsking = share.allowsUpload && query.has('left')
  if (isUploadOnly(share) || isAsking) return collectingPage(call, shareRequest)
  const { album, gallery, list } = await galleryOf(call, shareRequest)
  const page = await readFilePage(call, list)
  // Once for the album, not for each page of its files.
  if (album && !query.has('after'))
    await countView(app, site, { request, seen: { kind: 'album', id: album.id, views: album.views } })
  return galleryPage(call, shareRequest, { gallery, page })
})

/** A shared album, or the files that are shared together. */
async function galleryOf(call: PageCall, shareRequest: ShareRequest) {
  const { app, site } = call
  const { caller, opened, token, isIn } = shareRequest
  const { album, selection, sort } = await openShared(site, opened)
  const name = isIn ? `share:${token}:${passOf(siteKey(app, site, 'share passes'), opened)}` : ''
  const list: FileList = { name, selection, sort, caller, sharePath: `/share/${token}` }
  const { username, fileIds = [] } = opened.share
  const gallery: Gallery = album ?? {
    title: titleOfFiles(call, fileIds),
    description: undefined,
    username,
    fileCount: fileIds.length,
    coverFileId: undefined,
  }
  return { album, gallery, list }
}

/** A file of the share, as the gallery shows it over its list. */
export const getSharedFile: SiteHandle = ofShare((call, shareRequest) =>
  filePageOf(call, shareRequest, call.params.id ?? ''),
)

async function filePageOf(call: PageCall, shareRequest: ShareRequest, id: string): Promise<string> {
  const { app, site, request } = call
  const { caller, opened, token } = shareRequest
  const { albumId, fileIds } = opened.share
  if (!isId(id) || isUploadOnly(opened.share)) throw fileNotFound()
  const shown = await readShownFile(site, caller, { id })
  const { file } = shown
  if (!isOfShare(opened.share, file)) throw fileNotFound()
  const album = albumId === undefined ? undefined : await readAlbum(site, caller, albumId)
  const beside = album && (await neighboursOf(site, caller, { file, sort: sortOf(album.sort) }))
  const index = fileIds?.indexOf(id) ?? -1
  await countView(app, site, { request, seen: { id, views: file.views } })
  const pathOf = (other: string | undefined) => other && `/share/${token}/${other}`
  return sharedFilePage(call, shareRequest, {
    shown,
    addresses: addressesFor(call, shown, caller.share),
    inside: album
      ? { label: call.reader.words.inAlbum, title: album.title }
      : fileIds && { title: titleOfFiles(call, fileIds) },
    previous: pathOf(beside?.previous?.id ?? fileIds?.[index - 1]),
    next: pathOf(beside?.next?.id ?? fileIds?.[index + 1]),
  })
}

/** All files of a gallery as one download. */
export const getShareZip: SiteHandle = ofShare(async (call, shareRequest) => {
  const { allowsDownload, fileId } = shareRequest.opened.share
  if (!allowsDownload || fileId !== undefined) throw fileNotFound()
  const { gallery, list } = await galleryOf(call, shareRequest)
  return sendZip(call, { name: gallery.title, files: await filesOf(call, list) })
})
