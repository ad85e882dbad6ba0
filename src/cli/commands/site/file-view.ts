import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { formatSize } from '../../../lib/sizes.ts'
import { writeTime } from '../../../lib/times.ts'
import { fileNameOf, keyOf, type StoredFile } from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { type Column, recordOf, tableOf } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'

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
