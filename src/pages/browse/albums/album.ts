import { type Html, html } from '../../../lib/html.ts'
import {
  type AlbumAccess,
  albumAccessOf,
  checkAlbumPassword,
  coversOf,
  insideAlbum,
  listSubAlbums,
  type SeenAlbum,
  seeAlbum,
} from '../../../media/index.ts'
import { linkButton } from '../../../ui/parts/controls.ts'
import { chip } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeCount, writeSize } from '../../../words/format.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { askPassword, refusalOf } from '../../password/ask-password.ts'
import { hasUnlockToken, unlockCookie } from '../../password/unlock-token.ts'
import { readSelectable, selectionKeys } from '../bulk-edit/selectable.ts'
import { personName } from '../files/person-path.ts'
import { albumCards, albumPath } from '../lists/album-card.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { albumIdOf, callerOf, openList } from '../lists/file-list.ts'
import { listChips, listPage, uploadButton } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'
import { requestButton, shareButton, shareDialog } from '../shares/share-button.ts'
import { countView } from '../viewer/count-view.ts'
import { mostZipped } from './send-zip.ts'

const accessTo = (call: PageCall): Promise<AlbumAccess> =>
  albumAccessOf(call.site, callerOf(call), albumIdOf(call.params.name ?? ''))

/** The page of an album: its sub-albums, then its files. */
export const getAlbum: PageHandler = async (call) => {
  const { app, site, request, reply } = call
  const access = await accessTo(call)
  const { album, lock } = access
  if (album.privacy !== 'public') reply.header('x-robots-tag', 'noindex')
  if (lock && !hasUnlockToken(app, site, { request, lock }))
    return askPassword(app, site, { request, reply, lock, isAlbum: true, reader: call.reader })
  const caller = insideAlbum(site, callerOf(call), album)
  const [seen, below, page] = await Promise.all([
    seeAlbum(site, caller, album),
    call.query.has('after') ? [] : listSubAlbums(site, caller, album),
    openList(call, `album:${album.id}`).then((list) => readFilePage(call, list)),
  ])
  // The next pages of the list are part of the same view.
  if (!call.query.has('after'))
    await countView(app, site, { request, seen: { kind: 'album', id: album.id, views: album.views } })
  const covers = await coversOf(site, caller, below)
  const { words } = call.reader
  const files =
    page.files.length > 0
      ? fileGrid(call, page, access.isOwn ? await readSelectable(call, { isAlbum: true }) : undefined)
      : below.length > 0
        ? undefined
        : emptyState({
            title: words.albumEmpty,
            text: words.albumEmptyText,
            action: uploadButton(call.reader, uploadsInto(call, album)),
          })
  return {
    page: listPage(call, {
      title: album.title,
      description: album.description,
      isListed: album.privacy === 'public',
      above: html`${words.albumBy} ${personName(call.reader, seen.username)}`,
      about: aboutAlbum(call, seen),
      actions: actionsOf(call, seen, access.isOwn),
      keys: access.isOwn ? selectionKeys(words) : [],
      body: html`${below.length > 0 ? html`<section aria-labelledby="sub-albums"><h2 id="sub-albums">${words.subAlbums}</h2>${albumCards(call, below, covers)}</section>` : undefined}${files}${access.isOwn ? html`${shareDialog({ of: 'album', words })}${shareDialog({ of: 'request', words })}` : undefined}`,
    }),
  }
}

function aboutAlbum(call: PageCall, album: SeenAlbum): Html {
  const { words, language } = call.reader
  const privacy = album.privacy === 'public' ? undefined : chip(words.privacies[album.privacy])
  const sums = `${writeCount(language, words.files, album.fileCount)} · ${writeSize(language, album.sizeBytes)}`
  return html`<p class="soft">${sums} ${privacy}</p>
${album.fileCount > 1 ? listChips(call, ['newest', 'oldest', 'popular'], undefined) : undefined}`
}

/** Files of others cannot be put into an album, and an administrator may open those of others. */
const uploadsInto = ({ session }: PageCall, { id, userId }: Pick<SeenAlbum, 'id' | 'userId'>) =>
  session?.caller.userId === userId ? `/upload?album=${id}` : undefined

function actionsOf(call: PageCall, album: SeenAlbum, isOwn: boolean): Html | undefined {
  const { words } = call.reader
  // The empty state has the same one.
  const upload = album.fileCount > 0 ? uploadButton(call.reader, uploadsInto(call, album)) : undefined
  const zip =
    album.fileCount > 0 && album.fileCount <= mostZipped
      ? linkButton(words.albumZip, `${albumPath(album)}/zip`, {
          look: 'plain',
          icon: 'download',
          more: { download: true },
        })
      : undefined
  const edit = isOwn
    ? linkButton(words.editAlbum, `${albumPath(album)}/edit`, { look: 'plain', icon: 'edit' })
    : undefined
  const share = isOwn ? shareButton({ path: albumPath(album), of: 'album', words }) : undefined
  const request = isOwn ? requestButton({ path: albumPath(album), words }) : undefined
  return zip || edit ? html`${upload}${zip}${share}${request}${edit}` : undefined
}

/** Takes the password of an album. The right one opens its pages to this browser for a while. */
export const postAlbum: PageHandler = async (call): Promise<PageAnswer> => {
  const { app, site, request, reply, form, reader } = call
  const { album, lock } = await accessTo(call)
  const to = albumPath(album)
  if (!lock) return { to }
  const given = { password: form.get('password') ?? '', address: request.client.address }
  const refusal = await checkAlbumPassword(site, lock, given).then(() => undefined, refusalOf)
  if (refusal) return askPassword(app, site, { request, reply, lock, refusal, isAlbum: true, reader })
  return { to, headers: { 'set-cookie': unlockCookie(app, site, { request, lock }) } }
}
