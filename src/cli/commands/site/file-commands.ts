import { allUsernames, userOfName } from '../../../accounts/index.ts'
import { formatSize } from '../../../common/format.ts'
import { type FileAddresses, workingAddresses } from '../../../http/addresses/file-addresses.ts'
import { writeTime } from '../../../lib/times.ts'
import {
  approveAllFiles,
  approveFiles,
  fileNameOf,
  fileOfId,
  keyOf,
  listFiles,
  removeFileOfId,
  type StoredFile,
  searchFiles,
  tagsOf,
} from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { openSite, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, counted, plain, recordOf, tableOf } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'
import { changeOnSite } from './on-site.ts'

interface Listing {
  tenant: string
  pending?: boolean
  username?: string
  limit: number
}

export async function listSiteFiles(session: Session, input: Listing): Promise<void> {
  const { tenant, pending: isPending = false, username, limit } = input
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const userId = username === undefined ? undefined : (await userOfName(site, username)).id
  const usernames = await allUsernames(site.db)
  // One more than the limit, to know whether there are more.
  const found = await listFiles(site, { isPending, userId, limit: limit + 1 })
  const files: ShownFile[] = []
  for (const file of found.slice(0, limit)) {
    const addresses = await workingAddresses(app, site, file)
    files.push({ file, username: usernames.get(file.userId ?? ''), addresses })
  }
  session.answerList(files.map(writeFile), () => fileTable(session.out, files), {
    ifEmpty: isPending ? 'No files wait for approval.' : 'There are no files.',
  })
  if (found.length > limit)
    session.note(`There are more files: --limit ${limit * 10} shows up to ${limit * 10}.`)
}

export async function searchSiteFiles(
  session: Session,
  { tenant, query, limit }: { tenant: string; query: string; limit: number },
): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const usernames = await allUsernames(site.db)
  // One more than the limit, to know whether there are more.
  const found = await searchFiles(site, { text: query, limit: limit + 1 })
  const files: ShownFile[] = []
  for (const file of found.slice(0, limit)) {
    const addresses = await workingAddresses(app, site, file)
    files.push({ file, username: usernames.get(file.userId ?? ''), addresses })
  }
  session.answerList(files.map(writeFile), () => fileTable(session.out, files), {
    ifEmpty: 'No files match.',
  })
  if (found.length > limit)
    session.note(`There are more files: --limit ${limit * 10} shows up to ${limit * 10}.`)
}

export async function showSiteFile(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const file = await fileOfId(site, id)
  const username = (await allUsernames(site.db)).get(file.userId ?? '')
  const tags = await tagsOf(site, file)
  const shown = { file, username, addresses: await workingAddresses(app, site, file), tags, site }
  session.answer({ ...writeFile(shown), tags }, () => fileRecord(session.out, shown))
}

export async function approveSiteFiles(
  session: Session,
  { tenant, id: ids, all = false }: { tenant: string; id?: readonly string[]; all?: boolean },
): Promise<void> {
  if ((ids !== undefined) === all)
    throw new UsageFault(['Give either --id or --all.'], 'terrace site file:approve --help')
  const approved = await changeOnSite(session, tenant, (site) =>
    ids ? approveFiles(site, ids) : approveAllFiles(site),
  )
  session.answer({ approved }, () =>
    approved === 0 ? 'No files were waiting for approval.' : `Approved ${counted(approved, 'file')}.`,
  )
}

export async function deleteSiteFile(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  const file = await changeOnSite(session, tenant, (site) => removeFileOfId(site, id))
  session.answer({ id, deleted: true }, () => `Deleted the file ${id} (${plain(file.originalName)}).`)
}

export interface ShownFile {
  file: StoredFile
  /** Undefined for a guest's file. */
  username: string | undefined
  addresses: FileAddresses
}

const columns: readonly Column<ShownFile>[] = [
  { title: 'ID', value: ({ file }) => file.id, style: () => 'cyan' },
  { title: 'NAME', value: ({ file }) => fileNameOf(file) },
  { title: 'KIND', value: ({ file }) => file.kind },
  { title: 'WIDTH × HEIGHT', value: ({ file }) => `${file.width} × ${file.height}`, isRight: true },
  { title: 'SIZE', value: ({ file }) => formatSize(file.sizeBytes), isRight: true },
  { title: 'USER', value: ({ username }) => username ?? '-' },
  { title: 'ALBUM', value: ({ file }) => file.albumId ?? '-' },
  {
    title: 'APPROVED',
    value: ({ file }) => (file.isApproved ? 'yes' : 'no'),
    style: ({ file }) => (file.isApproved ? undefined : 'yellow'),
  },
  { title: 'PRIVATE', value: ({ file }) => (file.isPrivate ? 'yes' : 'no') },
  { title: 'CREATED', value: ({ file }) => writeTime(file.createdAt), style: () => 'dim' },
]

export const fileTable = (terminal: Terminal, files: readonly ShownFile[]): string =>
  tableOf(terminal, columns, files)

/** Fields that an upload's response has too carry the same names here. */
export const writeFile = ({ file, username, addresses }: ShownFile) => ({
  id: file.id,
  filename: fileNameOf(file),
  original_filename: file.originalName,
  title: file.title ?? null,
  type: file.type,
  mime: file.mime,
  size: file.sizeBytes,
  width: file.width,
  height: file.height,
  username: username ?? null,
  album_id: file.albumId ?? null,
  category_id: file.categoryId ?? null,
  nsfw: file.isNsfw,
  is_approved: file.isApproved,
  is_private: file.isPrivate,
  views: file.views,
  url: addresses.url,
  url_viewer: addresses.viewer,
  created_at: writeTime(file.createdAt),
  expires_at: file.expiresAt ? writeTime(file.expiresAt) : null,
})

/** Names the location of the bytes: a file that waits for approval is not served, and the operator must look at it. */
export function fileRecord(
  terminal: Terminal,
  shown: ShownFile & { tags: readonly string[]; site: Site },
): string {
  const { file, username, addresses, tags, site } = shown
  const key = keyOf(file)
  return recordOf(terminal, [
    {
      rows: [
        ['id', file.id],
        ['name', fileNameOf(file)],
        ['uploaded as', file.originalName],
        ['title', file.title ?? '-'],
        ['tags', tags.join(', ') || '-'],
        ['type', file.mime],
        ['width × height', `${file.width} × ${file.height}`],
        ['size', formatSize(file.sizeBytes)],
        ['user', username ?? '-'],
        ['album', file.albumId ?? '-'],
        ['category', String(file.categoryId ?? '-')],
        ['sensitive', file.isNsfw ? 'yes' : 'no'],
        ['approved', file.isApproved ? 'yes' : 'no'],
        ['private', file.isPrivate ? 'yes' : 'no'],
        ['views', String(file.views)],
        ['created', writeTime(file.createdAt)],
        ['expires', file.expiresAt ? writeTime(file.expiresAt) : 'never'],
        ['address', addresses.url],
        ['page', addresses.viewer],
        ['stored at', site.storage.localPath?.(key) ?? key],
      ],
    },
  ])
}
