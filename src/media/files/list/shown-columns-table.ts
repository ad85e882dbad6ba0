import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { SiteDb, SiteTables } from '../../../db/index.ts'
import type { Visibility } from '../../visibility-table.ts'
import { fileOfRow, type UnreadColumn } from '../files-table.ts'
import { isProtectedColumn } from '../reading/protection-table.ts'
import type { StoredFile } from '../stored-file.ts'

/** A file with everything that the API shows one caller of it. */
export interface ShownFile {
  file: StoredFile
  tags: readonly string[]
  /** Of the owner. */
  username: string | undefined
  /** Whether the caller likes it. */
  isLiked: boolean
  /** Whether the addresses of its bytes must be signed. */
  isProtected: boolean
  /** Who sees it: that of its album, unless the file itself is private. */
  privacy: SiteTables['album']['privacy']
}

export type FileQuery = SelectQueryBuilder<SiteTables, 'file', object>

export const shownFiles = (db: SiteDb, visibility: Pick<Visibility, 'userId'>, hasExif: boolean) =>
  withShownColumns(db.selectFrom('file'), visibility, hasExif)

export const withShownColumns = (
  query: FileQuery,
  { userId = '' }: Pick<Visibility, 'userId'>,
  hasExif: boolean,
) =>
  query
    .select(columns)
    .select(isProtectedColumn)
    .select(tagsColumn)
    .select((eb) => [
      // The metadata of a picture may be longer than all its other columns.
      (hasExif ? eb.ref('file.exif') : eb.val<string | null>(null)).as('exif'),
      eb.selectFrom('user').select('user.username').whereRef('user.id', '=', 'file.userId').as('username'),
      eb
        .selectFrom('album')
        .select('album.privacy')
        .whereRef('album.id', '=', 'file.albumId')
        .as('albumPrivacy'),
      eb
        .selectFrom('fileLike')
        .select('fileLike.userId')
        .whereRef('fileLike.fileId', '=', 'file.id')
        .where('fileLike.userId', '=', userId)
        .as('likedBy'),
    ])

/** No tag contains a comma or a control character. */
const betweenTags = ',\u001f'

/** One statement for files and tags is half the work of two. */
const tagsColumn = (eb: ExpressionBuilder<SiteTables, 'file'>) =>
  eb
    .selectFrom('fileTag')
    .select((tag) =>
      tag.fn
        .agg<string | null>('string_agg', ['fileTag.tagName', tag.val(betweenTags)])
        .orderBy('fileTag.tagName')
        .as('names'),
    )
    .whereRef('fileTag.fileId', '=', 'file.id')
    .as('tags')

const columns = [
  'file.id',
  'file.userId',
  'file.albumId',
  'file.categoryId',
  'file.kind',
  'file.type',
  'file.folder',
  'file.name',
  'file.extension',
  'file.originalName',
  'file.sizeBytes',
  'file.width',
  'file.height',
  'file.durationSeconds',
  'file.variants',
  'file.md5',
  'file.sourceMd5',
  'file.title',
  'file.description',
  'file.isNsfw',
  'file.isAnimated',
  'file.isApproved',
  'file.is360',
  'file.views',
  'file.likes',
  'file.date',
  'file.createdAt',
  'file.expiresAt',
  'file.isPrivate',
  'file.version',
  'file.revision',
  'file.updatedAt',
  'file.deletedAt',
  'file.position',
  'file.placeholder',
  'file.keyRevision',
  'file.lastKeyRevision',
  'file.replacedAt',
  'file.addressVersion',
  'file.removedBy',
  'file.removalReason',
  'file.contributor',
] as const

export type ShownRow = Omit<SiteTables['file'], UnreadColumn | 'exif'> & {
  exif: string | null
  tags: string | null
  username: string | null
  likedBy: string | null
  isProtected: number
  albumPrivacy: SiteTables['album']['privacy'] | null
}

export const shownOfRow = (row: ShownRow): ShownFile => ({
  file: fileOfRow(row),
  tags: row.tags === null ? [] : row.tags.split(betweenTags),
  username: row.username ?? undefined,
  isLiked: row.likedBy !== null,
  isProtected: row.isProtected === 1,
  privacy: row.isPrivate === 1 ? 'private' : (row.albumPrivacy ?? 'public'),
})
