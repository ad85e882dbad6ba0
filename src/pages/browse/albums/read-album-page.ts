import { badRequest } from '../../../http/responses/errors.ts'
import type { Html } from '../../../lib/html.ts'
import type { AlbumPosition, SeenAlbum } from '../../../media/index.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { pager } from '../../../ui/parts/lists.ts'
import type { PageCall } from '../../page-call.ts'
import { filesOfPage } from '../lists/read-page.ts'

type ReadAlbums = (page: { after: AlbumPosition | undefined; limit: number }) => Promise<SeenAlbum[]>

/** A page of albums, the newest first, with links to the pages before and after it. */
export async function readAlbumPage(
  call: PageCall,
  read: ReadAlbums,
): Promise<{ albums: readonly SeenAlbum[]; pageLinks: Html | undefined }> {
  const { words } = call.reader
  const after = readAfter(call.query.get('after'))
  const found = await read({ after, limit: filesOfPage + 1 })
  const albums = found.slice(0, filesOfPage)
  const last = found.length > filesOfPage ? albums.at(-1) : undefined
  if (!after && !last) return { albums, pageLinks: undefined }
  const pageLinks = pager({
    words,
    newer: after && addressWith(call, {}),
    older: last && addressWith(call, { after: `${last.createdAt.toISOString()}~${last.id}` }),
    labels: [words.listFirst, words.listNext],
  })
  return { albums, pageLinks }
}

function readAfter(text: string | null): AlbumPosition | undefined {
  if (text === null || text === '') return undefined
  const [, value, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)~([A-Za-z0-9]{1,64})$/.exec(text) ?? []
  if (value === undefined || id === undefined)
    throw badRequest('after: is not a place in this list. Begin at its first page.')
  return { value, id }
}
