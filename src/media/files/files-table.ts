import type { ExpressionBuilder } from 'kysely'
import {
  executeLater,
  prepare,
  prepareInsertion,
  requestSync,
  type SiteDb,
  type SiteTables,
} from '../../db/index.ts'
import { recountedById } from '../../site/index.ts'
import { purgingHidden } from '../purges/hidden-files-table.ts'
import { textForm, textVersion } from '../search/words.ts'
import {
  fileNameOf,
  noPlaceholder,
  type StoredFile,
  type StoredVariant,
  storedBytesOf,
} from './stored-file.ts'

type FileRow = SiteTables['file']

/** Columns of a file that are never shown. */
export interface FileSecrets {
  deleteHash: string
  uploaderAddress: string
}

/** Columns that are kept beside a file: it is read without them. */
export type UnreadColumn =
  | keyof FileSecrets
  | ('storageId' | 'nameKey' | 'storedBytes' | 'titleSort' | 'nameSort' | 'textVersion')

const insertion = prepareInsertion('file', ['folder', 'nameKey'])

/** False if the name is taken in that folder. */
export function insertFile(db: SiteDb, file: StoredFile, secrets: FileSecrets): Promise<boolean> {
  const insert = () => insertion(db, { ...rowOfFile(file), ...secrets })
  return file.categoryId === undefined ? insert() : recountedById(db, [file.id], insert)
}

/** A file that exists, is not in the trash and has not expired. */
export async function findFile(db: SiteDb, id: string, now: Date): Promise<StoredFile | undefined> {
  const row = await liveFiles(db, now).where('id', '=', id).executeTakeFirst()
  return row && fileOfRow(row)
}

/** The newest file with these bytes from this uploader. A private file without an owner matches no guest. */
export async function findFileOfBytes(
  db: SiteDb,
  match: { sourceMd5: string; userId: string | undefined; uploaderAddress: string; since: Date; now: Date },
): Promise<StoredFile | undefined> {
  const query = liveFiles(db, match.now)
    .where('sourceMd5', '=', match.sourceMd5)
    .where('createdAt', '>=', match.since.toISOString())
    .orderBy('createdAt', 'desc')
    .limit(1)
  const row = await (match.userId === undefined
    ? query
        .where('userId', 'is', null)
        .where('uploaderAddress', '=', match.uploaderAddress)
        .where('isPrivate', '=', 0)
    : query.where('userId', '=', match.userId)
  ).executeTakeFirst()
  return row && fileOfRow(row)
}

/** The hashes of a file's delete tokens, separated by spaces. */
export async function findDeleteHashes(db: SiteDb, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('file').select('deleteHash').where('id', '=', id).executeTakeFirst()
  return row?.deleteHash
}

export async function updateDeleteHashes(db: SiteDb, id: string, deleteHash: string): Promise<void> {
  await db.updateTable('file').set({ deleteHash }).where('id', '=', id).execute()
}

/** Adds views to each of these files; returns how many of them exist. */
export async function addViews(
  db: SiteDb,
  ids: readonly string[],
  views: number,
): Promise<(string | undefined)[]> {
  const rows = await db
    .updateTable('file')
    .set((row) => ({ views: row('views', '+', views) }))
    .where('id', 'in', ids)
    .returning('userId')
    .execute()
  return rows.map(({ userId }) => userId ?? undefined)
}

/** Who owns which of these files; null for a guest's. */
export async function ownersOf(db: SiteDb, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await db.selectFrom('file').select(['id', 'userId']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, userId }) => [id, userId]))
}

/** Files that are not in the trash and have not expired. */
export function liveFiles(db: SiteDb, now: Date) {
  return db.selectFrom('file').selectAll().where(isLive(now.toISOString()))
}

export const isLive = (now: string) => (eb: ExpressionBuilder<SiteTables, 'file'>) =>
  eb.and([eb('file.deletedAt', 'is', null), isUnexpired(now)(eb)])

/** In the trash or not. */
export const isUnexpired = (now: string) => (eb: ExpressionBuilder<SiteTables, 'file'>) =>
  eb.or([eb('file.expiresAt', 'is', null), eb('file.expiresAt', '>', now)])

/** The JSON of the column `variants`: the file's own type and its variants, which every answer needs together. */
export interface VariantsColumn {
  /** Of the file itself: not taken at its upload, but when its bytes are first read after it. */
  sha256?: string
  mime: string
  bits: number
  channels: number
  variants: readonly StoredVariant[]
}

function rowOfFile(file: StoredFile): Omit<FileRow, keyof FileSecrets> {
  const { mime, bits, channels, variants, isNsfw, isAnimated, isApproved, isPrivate, is360, ...others } = file
  const column: VariantsColumn = { mime, bits, channels, variants }
  return {
    ...others,
    nameKey: file.name.toLowerCase(),
    storageId: null,
    userId: file.userId ?? null,
    albumId: file.albumId ?? null,
    categoryId: file.categoryId ?? null,
    sourceMd5: file.sourceMd5 ?? file.md5,
    title: file.title ?? null,
    description: file.description ?? null,
    contributor: file.contributor ?? null,
    exif: file.exif ?? null,
    storedBytes: storedBytesOf(file),
    variants: JSON.stringify(column),
    isNsfw: Number(isNsfw),
    isAnimated: Number(isAnimated),
    isApproved: Number(isApproved),
    isPrivate: Number(isPrivate),
    is360: Number(is360),
    date: file.date.toISOString(),
    createdAt: file.createdAt.toISOString(),
    expiresAt: file.expiresAt?.toISOString() ?? null,
    updatedAt: file.updatedAt.toISOString(),
    deletedAt: file.deletedAt?.toISOString() ?? null,
    removedBy: file.removedBy ?? null,
    removalReason: file.removalReason ?? null,
    placeholder: file.placeholder ?? noPlaceholder,
    replacedAt: file.replacedAt?.toISOString() ?? null,
    ...sortedTexts(file),
  }
}

/** The columns that an edit may change. */
type FileChange = Partial<
  Pick<
    FileRow,
    | ('title' | 'titleSort' | 'description' | 'categoryId' | 'albumId' | 'isNsfw' | 'isPrivate')
    | ('expiresAt' | 'date' | 'deletedAt' | 'removedBy' | 'removalReason' | 'isApproved')
  >
>

/** Changes files, all in the same way. The only way to edit: it raises their versions. */
export async function updateFiles(
  db: SiteDb,
  ids: readonly string[],
  change: FileChange,
  at: Date,
): Promise<void> {
  if (ids.length === 0) return
  if ('expiresAt' in change || 'deletedAt' in change) requestSync(db)
  const update = () => updateRows(db, ids, change, at.toISOString())
  if (!labelColumns.some((column) => column in change)) return update()
  await purgingHidden(db, ids, () => recountedById(db, ids, update))
}

/** The columns by which files are counted for their tags and categories, and by which they are hidden. */
const labelColumns = ['categoryId', 'albumId', 'isPrivate', 'isApproved', 'deletedAt'] as const

async function updateRows(
  db: SiteDb,
  ids: readonly string[],
  change: FileChange,
  updatedAt: string,
): Promise<void> {
  const [id] = ids
  if (ids.length === 1)
    return updateOf(Object.keys(change) as (keyof FileChange)[]).later(db, {
      ...change,
      id,
      updatedAt,
    } as never)
  await executeLater(
    db,
    db
      .updateTable('file')
      .set((row) => ({ ...change, version: row('version', '+', 1), updatedAt }))
      .where('id', 'in', ids),
  )
}

type FileUpdate = ReturnType<typeof prepareUpdate>
const updates = new Map<string, FileUpdate>()

/** Most edits are of one file: to build their statement each time would cost more than to run it. */
function updateOf(columns: readonly (keyof FileChange)[]): FileUpdate {
  const key = columns.join()
  const update = updates.get(key) ?? prepareUpdate(columns)
  updates.set(key, update)
  return update
}

const prepareUpdate = (columns: readonly (keyof FileChange)[]) =>
  prepare<keyof FileChange | 'id' | 'updatedAt', unknown>((db, values) =>
    db
      .updateTable('file')
      .set((row) => ({
        ...Object.fromEntries(columns.map((column) => [column, values[column]])),
        version: row('version', '+', 1),
        updatedAt: values.updatedAt,
      }))
      .where('id', '=', values.id),
  )

export const sortedTitle = (title: string | null) => ({ titleSort: textForm(title ?? '') })

/** What follows from the texts of a file; it changes with them. */
export const sortedTexts = (file: Pick<StoredFile, 'title' | 'name' | 'extension'>) => ({
  ...sortedTitle(file.title ?? null),
  nameSort: textForm(fileNameOf(file)),
  textVersion,
})

export function fileOfRow(row: Omit<FileRow, UnreadColumn>): StoredFile {
  const { mime, bits, channels, variants } = JSON.parse(row.variants) as VariantsColumn
  const createdAt = new Date(row.createdAt)
  // Most files have one time in three columns, and to read it takes a third of the time for the row.
  const timeOf = (text: string) => (text === row.createdAt ? createdAt : new Date(text))
  return {
    id: row.id,
    userId: row.userId ?? undefined,
    albumId: row.albumId ?? undefined,
    categoryId: row.categoryId ?? undefined,
    kind: row.kind,
    type: row.type,
    mime,
    folder: row.folder,
    name: row.name,
    extension: row.extension,
    originalName: row.originalName,
    sizeBytes: row.sizeBytes,
    width: row.width,
    height: row.height,
    durationSeconds: row.durationSeconds,
    bits,
    channels,
    variants,
    md5: row.md5,
    sourceMd5: row.sourceMd5 === row.md5 ? undefined : row.sourceMd5,
    title: row.title ?? undefined,
    contributor: row.contributor ?? undefined,
    description: row.description ?? undefined,
    exif: row.exif ?? undefined,
    isNsfw: row.isNsfw === 1,
    isAnimated: row.isAnimated === 1,
    isApproved: row.isApproved === 1,
    isPrivate: row.isPrivate === 1,
    is360: row.is360 === 1,
    views: row.views,
    likes: row.likes,
    date: timeOf(row.date),
    createdAt,
    expiresAt: row.expiresAt === null ? undefined : new Date(row.expiresAt),
    version: row.version,
    revision: row.revision,
    // Empty if a server of the version before has inserted the row, during an upgrade.
    updatedAt: timeOf(row.updatedAt || row.createdAt),
    deletedAt: row.deletedAt === null ? undefined : new Date(row.deletedAt),
    // Null in the trash of the versions before.
    removedBy: row.removedBy ?? (row.deletedAt === null ? undefined : 'owner'),
    removalReason: row.removalReason ?? undefined,
    position: row.position,
    placeholder: row.placeholder || undefined,
    keyRevision: row.keyRevision,
    lastKeyRevision: row.lastKeyRevision,
    replacedAt: row.replacedAt === null ? undefined : new Date(row.replacedAt),
    addressVersion: row.addressVersion,
  }
}
