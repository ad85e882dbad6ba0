import { badRequest } from '../../../http/responses/errors.ts'
import {
  type AlbumPosition,
  countShownFiles,
  type FilePosition,
  type ListedFile,
  listAlbums,
  listShownFiles,
  type SeenAlbum,
} from '../../../media/index.ts'
import { mostZipped, sendZip } from '../../browse/albums/send-zip.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { exportList } from './export-list.ts'
import { exportPage } from './export-page.ts'

/** More files are not counted; a part behind them can still be asked for. */
const mostCounted = 1_000_000

export const showExport: PageHandler = async (call) => {
  const { userId } = userOf(call)
  const count = await countShownFiles(call.site, userOf(call), { selection: { userId }, most: mostCounted })
  return { page: exportPage(call, { count, parts: Math.ceil(count / mostZipped) }) }
}

/** One part of the caller's files, the oldest first, so that parts stay as they are when files are added. */
export const postExport: PageHandler = async (call) => {
  const part = call.form.get('part') ?? '1'
  if (!/^[1-9]\d{0,5}$/.test(part)) throw badRequest(`part: must be a number from 1, not "${part}"`)
  const [files, albums] = [await filesOfPart(call, Number(part)), await albumsOf(call)]
  if (files.length === 0) throw badRequest(`part: you have no files in part ${part}`)
  const shown = new Map(files.map((each) => [each.file.id, each]))
  return sendZip(call, {
    name: `${call.session?.username ?? ''}-${part}`,
    files: files.map(({ file }) => file),
    list: { name: 'files.json', text: (named) => exportList(call, { named, shown, albums }) },
  })
}

const pageSize = 500

async function filesOfPart(call: PageCall, part: number): Promise<ListedFile[]> {
  const { userId } = userOf(call)
  const sort = { by: 'created', isDescending: false } as const
  const files: ListedFile[] = []
  let passed = 0
  for (let after: FilePosition | undefined; ; ) {
    const page = { selection: { userId }, sort, after, limit: pageSize, hasExif: false }
    const found = await listShownFiles(call.site, userOf(call), page)
    // A part is a whole number of pages.
    if (passed >= (part - 1) * mostZipped) files.push(...found)
    passed += found.length
    after = found.at(-1)?.position
    if (found.length < pageSize || files.length >= mostZipped || !after) return files
  }
}

async function albumsOf(call: PageCall): Promise<SeenAlbum[]> {
  const { userId } = userOf(call)
  const listing = { sort: 'createdAt', isDescending: false, userId, parentId: undefined } as const
  const albums: SeenAlbum[] = []
  for (let after: AlbumPosition | undefined; ; ) {
    const found = await listAlbums(call.site, userOf(call), listing, { after, limit: pageSize })
    albums.push(...found)
    after = found.at(-1)?.position
    if (found.length < pageSize || !after) return albums
  }
}
