import { requestSync, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { recountedById } from '../../../site/index.ts'
import { fileNotFound } from '../../errors.ts'
import { purgingHidden } from '../../purges/hidden-files-table.ts'
import type { VariantsColumn } from '../files-table.ts'
import { type KeyedBytes, noPlaceholder, type StoredFile } from '../stored-file.ts'

/** The bytes of an earlier revision; its id is that of the file. */
export interface EarlierBytes extends KeyedBytes {
  revision: number
  md5: string
  storedBytes: number
}

type RevisionRow = SiteTables['fileRevision']

const byteColumns = [
  'fileId',
  'revision',
  'keyRevision',
  'folder',
  'extension',
  'sizeBytes',
  'storedBytes',
  'variants',
  'md5',
] as const

/** The earlier revisions of these files. */
export async function earlierBytesOf(db: SiteDb, ids: readonly string[]): Promise<EarlierBytes[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('fileRevision').select(byteColumns).where('fileId', 'in', ids).execute()
  return rows.map(bytesOfRow)
}

/** Earlier revisions that were replaced before a time, the longest replaced first. */
export async function earlierBytesBefore(db: SiteDb, before: Date, limit: number): Promise<EarlierBytes[]> {
  const rows = await db
    .selectFrom('fileRevision')
    .select(byteColumns)
    .where('replacedAt', '<=', before.toISOString())
    .orderBy('replacedAt')
    .limit(limit)
    .execute()
  return rows.map(bytesOfRow)
}

function bytesOfRow({
  fileId,
  variants: text,
  ...row
}: Pick<RevisionRow, (typeof byteColumns)[number]>): EarlierBytes {
  const { variants, sha256 } = JSON.parse(text) as VariantsColumn
  return { ...row, id: fileId, variants, sha256 }
}

/** The state of a file's bytes in one revision. */
export interface Revision {
  revision: number
  kind: string
  mime: string
  sizeBytes: number
  width: number
  height: number
  md5: string
  createdAt: Date
  /** Undefined for the revision of today. */
  replacedAt: Date | undefined
}

/** The earlier revisions of a file, newest first. */
export async function earlierRevisions(db: SiteDb, fileId: string): Promise<Revision[]> {
  const rows = await db
    .selectFrom('fileRevision')
    .selectAll()
    .where('fileId', '=', fileId)
    .orderBy('revision', 'desc')
    .execute()
  return rows.map((row) => ({
    revision: row.revision,
    kind: row.kind,
    mime: (JSON.parse(row.variants) as VariantsColumn).mime,
    sizeBytes: row.sizeBytes,
    width: row.width,
    height: row.height,
    md5: row.md5,
    createdAt: new Date(row.createdAt),
    replacedAt: new Date(row.replacedAt),
  }))
}

/** The columns of a file that its bytes decide; a replacement exchanges them. */
const contentColumns = [
  'keyRevision',
  'kind',
  'sizeBytes',
  'storedBytes',
  'width',
  'height',
  'durationSeconds',
  'variants',
  'md5',
  'sourceMd5',
  'exif',
  'isAnimated',
  'is360',
  'placeholder',
] as const

export type ContentRow = Pick<SiteTables['file'], (typeof contentColumns)[number]>

export async function findRevision(
  db: SiteDb,
  fileId: string,
  revision: number,
): Promise<ContentRow | undefined> {
  return db
    .selectFrom('fileRevision')
    .select(contentColumns)
    .where('fileId', '=', fileId)
    .where('revision', '=', revision)
    .executeTakeFirst()
}

export async function deleteRevisions(
  db: SiteDb,
  revisions: readonly Pick<RevisionRow, 'fileId' | 'revision'>[],
): Promise<void> {
  for (const { fileId, revision } of revisions)
    await db
      .deleteFrom('fileRevision')
      .where('fileId', '=', fileId)
      .where('revision', '=', revision)
      .execute()
}

/** Copies what the row of the file says of its bytes into a row of its own; they were replaced at this time. */
export async function insertRevisionOfFile(db: SiteDb, fileId: string, at: Date): Promise<void> {
  const { createdAt, replacedAt, ...row } = await db
    .selectFrom('file')
    .select(['revision', 'folder', 'extension', 'createdAt', 'replacedAt', ...contentColumns])
    .where('id', '=', fileId)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('fileRevision')
    .values({ ...row, fileId, createdAt: replacedAt ?? createdAt, replacedAt: at.toISOString() })
    .execute()
  requestSync(db)
}

/** A number for the storage keys of new bytes, which no other bytes of the file ever had. */
export async function reserveKeyRevision(db: SiteDb, id: string): Promise<number> {
  const { lastKeyRevision } = await db
    .updateTable('file')
    .set((row) => ({ lastKeyRevision: row('lastKeyRevision', '+', 1) }))
    .where('id', '=', id)
    .returning('lastKeyRevision')
    .executeTakeFirstOrThrow(() => fileNotFound())
  return lastKeyRevision
}

export async function findKeyRevision(db: SiteDb, id: string): Promise<number | undefined> {
  const row = await db.selectFrom('file').select('keyRevision').where('id', '=', id).executeTakeFirst()
  return row?.keyRevision
}

/** Lets the file have other bytes, as its next revision. */
export async function updateContent(
  db: SiteDb,
  id: string,
  content: ContentRow & { isApproved: number },
  at: Date,
): Promise<void> {
  const update = () => updateContentRow(db, id, content, at)
  // Bytes that wait for approval take the file out of lists.
  const change = content.isApproved === 0 ? () => recountedById(db, [id], update) : update
  await purgingHidden(db, [id], change)
}

async function updateContentRow(
  db: SiteDb,
  id: string,
  content: ContentRow & { isApproved: number },
  at: Date,
): Promise<void> {
  await db
    .updateTable('file')
    .set((row) => ({
      ...content,
      revision: row('revision', '+', 1),
      version: row('version', '+', 1),
      replacedAt: at.toISOString(),
      updatedAt: at.toISOString(),
    }))
    .where('id', '=', id)
    .execute()
}

/** The columns of a file that its bytes decide, as a row has them. */
export function contentOf(file: StoredFile, storedBytes: number): ContentRow {
  const { mime, bits, channels, variants } = file
  const column: VariantsColumn = { mime, bits, channels, variants }
  return {
    keyRevision: file.keyRevision,
    kind: file.kind,
    sizeBytes: file.sizeBytes,
    storedBytes,
    width: file.width,
    height: file.height,
    durationSeconds: file.durationSeconds,
    variants: JSON.stringify(column),
    md5: file.md5,
    sourceMd5: file.sourceMd5 ?? file.md5,
    exif: file.exif ?? null,
    isAnimated: Number(file.isAnimated),
    is360: Number(file.is360),
    placeholder: file.placeholder ?? noPlaceholder,
  }
}
