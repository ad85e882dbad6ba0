import { requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'
import type { VariantsColumn } from '../files/files-table.ts'
import type { StoredVariant } from '../files/stored-file.ts'

/** The columns of a file that verify its bytes. */
export interface JobFile extends Pick<SiteTables['file'], (typeof columns)[number]> {
  variants: readonly StoredVariant[]
  sha256: string | undefined
}

const columns = ['id', 'folder', 'extension', 'keyRevision', 'revision', 'sizeBytes', 'md5'] as const

/** The ids of expired files, the longest expired first. */
export async function expiredFileIds(db: SiteDb, now: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('file')
    .select('id')
    .where('expiresAt', '<=', now.toISOString())
    .orderBy('expiresAt')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The ids of files that are in the trash since a time or longer, the longest first. */
export async function trashedFileIds(db: SiteDb, since: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('file')
    .select('id')
    .where('deletedAt', '<=', since.toISOString())
    .orderBy('deletedAt')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function filesAfter(db: SiteDb, id: string, limit: number): Promise<JobFile[]> {
  const rows = await jobFiles(db).where('id', '>', id).orderBy('id').limit(limit).execute()
  return rows.map(fileOfRow)
}

export async function filesOfIds(db: SiteDb, ids: readonly string[]): Promise<JobFile[]> {
  if (ids.length === 0) return []
  const rows = await jobFiles(db).where('id', 'in', ids).execute()
  return rows.map(fileOfRow)
}

const jobFiles = (db: SiteDb) => db.selectFrom('file').select([...columns, 'variants'])

type JobRow = Pick<SiteTables['file'], (typeof columns)[number] | 'variants'>

function fileOfRow({ variants: text, ...row }: JobRow): JobFile {
  const { variants, sha256 } = JSON.parse(text) as VariantsColumn
  return { ...row, variants, sha256 }
}

/** A file whose stored bytes are not what its row says. */
export interface Damage {
  fileId: string
  fault: string
  foundAt: Date
}

export async function allDamage(db: SiteDb): Promise<Damage[]> {
  const rows = await db.selectFrom('damage').selectAll().orderBy('fileId').execute()
  return rows.map(({ fileId, fault, foundAt }) => ({ fileId, fault, foundAt: new Date(foundAt) }))
}

/** If the file is known as damaged already, only the fault is replaced. */
export async function insertDamage(db: SiteDb, { fileId, fault, foundAt }: Damage): Promise<void> {
  await db
    .insertInto('damage')
    .values({ fileId, fault, foundAt: foundAt.toISOString() })
    .onConflict((conflict) => conflict.column('fileId').doUpdateSet({ fault }))
    .execute()
}

export async function deleteDamage(db: SiteDb, fileIds: readonly string[]): Promise<void> {
  await db.deleteFrom('damage').where('fileId', 'in', fileIds).execute()
}

/** What a placeholder is made of. */
export interface UnplacedFile extends JobFile, Pick<SiteTables['file'], 'type'> {}

/** Files of the versions before, for which none was made or tried. */
export async function filesWithoutPlaceholder(db: SiteDb, limit: number): Promise<UnplacedFile[]> {
  const rows = await db
    .selectFrom('file')
    .select([...columns, 'variants', 'type'])
    .where('placeholder', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ type, ...row }) => ({ ...fileOfRow(row), type }))
}

/** Of the bytes that it was made of: a file that was replaced meanwhile has its own. */
export async function updatePlaceholder(
  db: SiteDb,
  { id, keyRevision }: Pick<JobFile, 'id' | 'keyRevision'>,
  placeholder: string,
): Promise<void> {
  await db
    .updateTable('file')
    .set({ placeholder })
    .where('id', '=', id)
    .where('keyRevision', '=', keyRevision)
    .where('placeholder', 'is', null)
    .execute()
  requestSync(db)
}
