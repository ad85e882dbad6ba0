import { readProfile } from '../../../accounts/index.ts'
import { addressesOf, isSignedPage, usualSigning } from '../../../http/addresses/file-addresses.ts'
import { publicUrl } from '../../../http/addresses/public-url.ts'
import { type FileType, fileAt } from '../../../http/requests/file-at.ts'
import type { SiteHandle } from '../../../http/site-route.ts'
import {
  insideAlbum,
  listAlbums,
  listPresets,
  mayChangeFile,
  neighboursOf,
  pageAccessOf,
  type StoredFile,
  showFile,
  tagsOf,
} from '../../../media/index.ts'
import { readSettings, type Site } from '../../../site/index.ts'
import { sendPage } from '../../../ui/headers.ts'
import { profilePicturePath } from '../../../ui/own-path.ts'
import { pageReader } from '../../guard.ts'
import { askPassword } from '../../password/ask-password.ts'
import { hasUnlockToken } from '../../password/unlock-token.ts'
import { sortOf } from '../lists/file-list.ts'
import { countView } from './count-view.ts'
import { presetCodes } from './embed-codes.ts'
import { viewerPage } from './viewer-page.ts'

const signedAccess = { isListed: false, album: undefined, lock: undefined }

const guest = { kind: 'guest', hasPublicKey: false } as const
const mostAlbums = 200

/** The page of a file, at its full path and at its short link. */
export function getViewer(type: FileType): SiteHandle {
  return (app) => async (site, request, reply) => {
    const { scheme } = request.client
    const { session, reader } = await pageReader(app, site, request)
    request.reader = reader
    const caller = session?.caller ?? guest
    const file = await fileAt(site, type, (request.params as { name: string }).name, caller)
    const isSigned = isSignedPage(app, site, { file, url: request.url })
    const { isListed, album, lock } = isSigned ? signedAccess : await pageAccessOf(site, caller, file)
    if (lock && !hasUnlockToken(app, site, { request, lock }))
      return askPassword(app, site, { request, reply, lock, reader })
    const inside = album ? insideAlbum(site, caller, album) : caller
    const [shown, settings, presets, neighbours] = await Promise.all([
      isSigned ? shownBySignature(site, file) : showFile(site, caller, file.id),
      readSettings(site),
      listPresets(site),
      album ? neighboursOf(site, inside, { file, sort: sortOf(album.sort) }) : undefined,
    ])
    const hasPresetCodes = (request.query as Record<string, unknown>)[presetCodes.name] === presetCodes.value
    // The reader has come from the page itself.
    const views = hasPresetCodes
      ? file.views
      : await countView(app, site, { request, seen: { id: file.id, views: file.views } })
    const signing = shown.isProtected ? usualSigning(site.clock.now()) : undefined
    const addresses = addressesOf(app, site, file, { forwarded: scheme, signing })
    const pathOf = (other: StoredFile | undefined) => other && addressesOf(app, site, other).viewerPath
    const isOwn = mayChangeFile(caller, file)
    const own = { sort: 'createdAt', isDescending: true, userId: file.userId, parentId: undefined } as const
    const albums =
      isOwn && file.userId !== undefined
        ? await listAlbums(site, caller, own, { after: undefined, limit: mostAlbums })
        : []
    const oembedUrl =
      isListed || album?.privacy === 'link'
        ? `${publicUrl(app.config, site.hostname, scheme)}oembed?url=${encodeURIComponent(addresses.viewer)}&format=json`
        : undefined
    const owner = file.userId === undefined ? undefined : await readProfile(site, file.userId)
    const page = viewerPage({
      file,
      tags: shown.tags,
      addresses,
      oembedUrl,
      views,
      isUnlisted: !isListed,
      albums,
      isOwn,
      username: shown.username,
      picture: file.userId && profilePicturePath(file.userId, owner?.pictureHash),
      isLiked: shown.isLiked,
      album,
      hasTrash: settings.trash_days !== '0',
      // The address of a signed page has no room for other parameters.
      presets: isSigned ? [] : presets,
      hasPresetCodes,
      isImmutable: settings.immutable_bytes !== '0',
      previous: pathOf(neighbours?.previous),
      next: pathOf(neighbours?.next),
      mayReport: !isOwn && !isSigned,
      siteName: site.hostname,
      now: site.clock.now(),
      timeZone: settings.timezone,
      reader,
    })
    if (!isListed) reply.header('x-robots-tag', 'noindex')
    reply
      .header('referrer-policy', 'strict-origin-when-cross-origin')
      .header('cache-control', 'private, no-cache')
    return sendPage(app, request, reply, page)
  }
}

/** The address proves the right to see the file, and tells nothing of who looks. */
async function shownBySignature(site: Site, file: StoredFile) {
  return {
    tags: await tagsOf(site, file),
    username: undefined,
    picture: undefined,
    isLiked: false,
    isProtected: true,
    privacy: 'private',
  }
}
