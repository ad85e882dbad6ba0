import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { badRequest } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import {
  type AlbumPosition,
  countShownFiles,
  type FilePosition,
  type ListedFile,
  listAlbums,
  listShownFiles,
  type SeenAlbum,
} from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { writeCount, writeNumber } from '../../../words/format.ts'
import { mostZipped, type NamedFile, sendZip } from '../../browse/albums/send-zip.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { settingsPage } from './settings-frame.ts'

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
    isExport: true,
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

interface Exportable {
  count: number
  /** How many downloads they take. */
  parts: number
}

function exportPage(call: PageCall, { count, parts }: Exportable): string {
  const { words, language } = call.reader
  const contents =
    count === 0 ? words.exportNone : words.exportCount(writeCount(language, words.files, count))
  const numbers = Array.from({ length: parts }, (_, index) => index + 1)
  return settingsPage(
    call,
    '/settings/export',
    html`<p>${words.exportText}</p>
<p>${contents}</p>
${numbers.map((part) => partForm(call, part, parts))}`,
  )
}

/** A form, so that no page of another site can begin a download of hours. */
function partForm({ reader }: PageCall, part: number, parts: number): Html {
  const { words, language } = reader
  const label =
    parts === 1
      ? words.exportDownload
      : words.exportPart(writeNumber(language, part), writeNumber(language, parts))
  return html`<form method="post">${tokenField(reader)}<input name="part" value="${part}" type="hidden">
<p>${submitButton(label, { icon: 'download', look: part === 1 ? 'main' : 'plain' })}</p></form>`
}

interface Exported {
  named: readonly NamedFile[]
  shown: ReadonlyMap<string, ListedFile>
  albums: readonly SeenAlbum[]
}

/** What a zip of files cannot hold by itself, as JSON with the field names of the API. */
function exportList(call: PageCall, { named, shown, albums }: Exported): string {
  const { app, site, session, request } = call
  const list = {
    site: site.hostname,
    username: session?.username,
    exported_at: site.clock.now().toISOString(),
    albums: albums.map(({ id, title, description, privacy, parentId, createdAt }) => ({
      id,
      title,
      description: description ?? null,
      privacy,
      parent_id: parentId ?? null,
      created_at: createdAt.toISOString(),
    })),
    files: named.map(({ name, file }) => ({
      name,
      id: file.id,
      original_name: file.originalName,
      title: file.title ?? null,
      description: file.description ?? null,
      tags: shown.get(file.id)?.tags ?? [],
      album_id: file.albumId ?? null,
      is_nsfw: file.isNsfw,
      is_private: file.isPrivate,
      size: file.sizeBytes,
      md5: file.md5,
      created_at: file.createdAt.toISOString(),
      expires_at: file.expiresAt?.toISOString() ?? null,
      url_viewer: addressesOf(app, site, file, { forwarded: request.client.scheme }).viewer,
    })),
  }
  return `${JSON.stringify(list, undefined, 2)}\n`
}
