import { html } from '../../../lib/html.ts'
import { checkListing, coversOf, listAlbums } from '../../../media/index.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { linkButton } from '../../../ui/parts/controls.ts'
import { linkChip } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import type { PageHandler } from '../../page-call.ts'
import { albumCards } from '../lists/album-card.ts'
import { callerOf } from '../lists/file-list.ts'
import { listPage, ofListing } from '../lists/list-page.ts'
import { readAlbumPage } from './read-album-page.ts'

/** Albums that the caller may list. Where others' are hidden, members have their own. */
export const getAlbums: PageHandler = ofListing(async (call) => {
  const { site, session } = call
  const { words } = call.reader
  const caller = callerOf(call)
  if (!session) await checkListing(site, caller)
  const userId = call.query.get('of') === 'me' ? session?.caller.userId : undefined
  const listing = { sort: 'createdAt', isDescending: true, userId, parentId: null } as const
  const { albums, pageLinks } = await readAlbumPage(call, (page) => listAlbums(site, caller, listing, page))
  const covers = await coversOf(site, caller, albums)
  const newAlbum = session && linkButton(words.newAlbum, '/albums/new', { icon: 'add' })
  const chips =
    session &&
    html`<nav class="chips" aria-label="${words.sortAndFilter}">${[
      linkChip(words.albumsOfAll, addressWith(call, { of: undefined }), userId === undefined),
      linkChip(words.albumsOfMe, addressWith(call, { of: 'me' }), userId !== undefined),
    ]}</nav>`
  const body =
    albums.length === 0
      ? emptyState({ title: words.noAlbums, text: words.noAlbumsText, ...(newAlbum && { action: newAlbum }) })
      : html`${albumCards(call, albums, covers)}${pageLinks}`
  const actions = albums.length > 0 ? newAlbum : undefined
  return { page: listPage(call, { title: words.albums, isListed: true, about: chips, actions, body }) }
})
