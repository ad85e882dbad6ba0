import type { ExpressionBuilder } from 'kysely'
import { prepareInsertion, type SiteDb, type SiteTables } from '../db/index.ts'
import { type StoredFile, type StoredVariant, storedBytesOf } from './stored-file.ts'

type FileRow = SiteTables['file']

/** What is kept of a file beside what is shown. */
export interface FileSecrets {
  deleteHash: string
  uploaderAddress: string
}

const insertion = prepareInsertion('file', ['folder', 'nameKey'])

/** False when the name is taken in that folder. */
export const insertFile = (db: SiteDb, file: StoredFile, secrets: FileSecrets): Promise<boolean> =>
  insertion(db, { ...rowOfFile(file), ...secrets })

/** A file that is there and not expired. */
export async function findFile(db: SiteDb, id: string, now: Date): Promise<StoredFile | undefined> {
  const row = await liveFiles(db, now).where('id', '=', id).executeTakeFirst()
  return row && fileOfRow(row)
}

/** The newest file of the same bytes by the same uploader. */
export async function findDuplicate(
  db: SiteDb,
  same: { sourceMd5: string; userId: string | undefined; uploaderAddress: string; since: Date; now: Date },
): Promise<StoredFile | undefined> {
  const query = liveFiles(db, same.now)
    .where('sourceMd5', '=', same.sourceMd5)
    .where('createdAt', '>=', same.since.toISOString())
    .orderBy('createdAt', 'desc')
    .limit(1)
  const row = await (same.userId === undefined
    ? query.where('userId', 'is', null).where('uploaderAddress', '=', same.uploaderAddress)
    : query.where('userId', '=', same.userId)
  ).executeTakeFirst()
  return row && fileOfRow(row)
}

/** With a space between them. */
export async function findDeleteHashes(db: SiteDb, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('file').select('deleteHash').where('id', '=', id).executeTakeFirst()
  return row?.deleteHash
}

export async function updateDeleteHashes(db: SiteDb, id: string, deleteHash: string): Promise<void> {
  await db.updateTable('file').set({ deleteHash }).where('id', '=', id).execute()
}

/** False when it is gone. */
export async function addView(db: SiteDb, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('file')
    .set((row) => ({ views: row('views', '+', 1) }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

type GoneRow = Pick<FileRow, 'storedBytes' | 'views' | 'likes' | 'folder' | 'nameKey' | 'expiresAt'>

/** What it had when it went, which may be more than was read of it before; nothing when it was gone already. */
export async function deleteFileRow(db: SiteDb, id: string): Promise<GoneRow | undefined> {
  return db
    .deleteFrom('file')
    .where('id', '=', id)
    .returning(['storedBytes', 'views', 'likes', 'folder', 'nameKey', 'expiresAt'])
    .executeTakeFirst()
}

/** Those whose time is not over. */
export function liveFiles(db: SiteDb, now: Date) {
  return db.selectFrom('file').selectAll().where(isLive(now.toISOString()))
}

export const isLive = (now: string) => (eb: ExpressionBuilder<SiteTables, 'file'>) =>
  eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)])

/** The file's own type and its versions are kept together: both are told with every answer. */
export interface Versions {
  mime: string
  bits: number
  channels: number
  variants: readonly StoredVariant[]
}

function rowOfFile(file: StoredFile): Omit<FileRow, keyof FileSecrets> {
  const { mime, bits, channels, variants, isNsfw, isAnimated, isApproved, is360, ...same } = file
  const versions: Versions = { mime, bits, channels, variants }
  return {
    ...same,
    nameKey: file.name.toLowerCase(),
    storageId: null,
    userId: file.userId ?? null,
    albumId: file.albumId ?? null,
    categoryId: file.categoryId ?? null,
    sourceMd5: file.sourceMd5 ?? file.md5,
    title: file.title ?? null,
    description: file.description ?? null,
    exif: file.exif ?? null,
    storedBytes: storedBytesOf(file),
    variants: JSON.stringify(versions),
    isNsfw: Number(isNsfw),
    isAnimated: Number(isAnimated),
    isApproved: Number(isApproved),
    is360: Number(is360),
    date: file.date.toISOString(),
    createdAt: file.createdAt.toISOString(),
    expiresAt: file.expiresAt?.toISOString() ?? null,
  }
}

export function fileOfRow(row: FileRow): StoredFile {
  const { mime, bits, channels, variants } = JSON.parse(row.variants) as Versions
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
    description: row.description ?? undefined,
    exif: row.exif ?? undefined,
    isNsfw: row.isNsfw === 1,
    isAnimated: row.isAnimated === 1,
    isApproved: row.isApproved === 1,
    is360: row.is360 === 1,
    views: row.views,
    likes: row.likes,
    date: new Date(row.date),
    createdAt: new Date(row.createdAt),
    expiresAt: row.expiresAt === null ? undefined : new Date(row.expiresAt),
  }
}
