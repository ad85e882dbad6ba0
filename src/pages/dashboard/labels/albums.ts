import { type Html, html } from '../../../lib/html.ts'
import { listAlbums, type SeenAlbum } from '../../../media/index.ts'
import { linkButton } from '../../../ui/parts/controls.ts'
import { table } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeNumber, writeSize } from '../../../words/format.ts'
import { readAlbumPage } from '../../browse/albums/read-album-page.ts'
import { albumPath } from '../../browse/lists/album-card.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage, limitUse } from '../dashboard-frame.ts'

/** Albums of everyone, whatever their privacy; their own pages change and delete them. */
export const showAlbums: PageHandler = async (call) => {
  const { words } = call.reader
  const listing = { sort: 'createdAt', isDescending: true, userId: undefined, parentId: undefined } as const
  const { albums, pageLinks } = await readAlbumPage(call, (page) =>
    listAlbums(call.site, userOf(call), listing, page),
  )
  const content = html`${await limitUse(call, 'SERVICE_MAX_ALBUMS', words.albums)}
${
  albums.length === 0
    ? emptyState({ title: words.noAlbums, text: words.noAlbumsText })
    : html`${list(call, albums)}${pageLinks}`
}`
  return { page: dashboardPage(call, { part: '/dashboard/albums', content }) }
}

function list(call: PageCall, albums: readonly SeenAlbum[]): Html {
  const { words, language } = call.reader
  const columns = [
    { name: words.albumTitle },
    { name: words.fileOwner },
    { name: words.albumPrivacy },
    { name: words.filesTab, isNumber: true },
    { name: words.storage, isNumber: true },
    { name: words.action },
  ]
  const rows = albums.map((album) => [
    html`<a href="${albumPath(album)}" dir="auto" class="breaks">${album.title}</a>`,
    html`<span dir="auto">${album.username}</span>`,
    html`${album.privacy === 'private' ? words.onlyOwner : words.privacies[album.privacy]}`,
    html`${writeNumber(language, album.fileCount)}`,
    html`${writeSize(language, album.sizeBytes)}`,
    linkButton(words.editFile, `${albumPath(album)}/edit`, {
      look: 'plain',
      isDense: true,
      more: { 'aria-label': `${words.editFile}: ${album.title}` },
    }),
  ])
  return table(words.albums, columns, rows)
}
