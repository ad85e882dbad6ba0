import type { SiteDb, SiteRow, SiteTables } from '../db/index.ts'
import { fileOfRow } from './files-table.ts'
import { keyOf, type StoredFile } from './stored-file.ts'

/** Every key that a file's bytes lie under, and how many lie there. */
export const storedKeysOf = (file: StoredFile): { key: string; sizeBytes: number }[] => [
  { key: keyOf(file), sizeBytes: file.sizeBytes },
  ...file.variants.map((variant) => ({ key: keyOf(file, variant), sizeBytes: variant.sizeBytes })),
]

/** The same for a row as it stands in its table. */
export const storedKeysOfRow = (row: SiteRow): { key: string; sizeBytes: number }[] =>
  storedKeysOf(fileOfRow(row as unknown as SiteTables['file']))

/** The id of the file whose bytes have this key. */
export const idOfKey = (key: string): string => key.slice(key.lastIndexOf('/') + 1).split('.', 1)[0] ?? ''

/** Those that are there, expired or not. */
export async function filesOfIds(db: SiteDb, ids: readonly string[]): Promise<StoredFile[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('file').selectAll().where('id', 'in', ids).execute()
  return rows.map(fileOfRow)
}

/** A page of all files, expired or not, in the order of their ids. */
export async function filesAfter(db: SiteDb, id: string, limit: number): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('file')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(fileOfRow)
}

export async function hasFile(db: SiteDb, id: string): Promise<boolean> {
  const row = await db.selectFrom('file').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

export async function countFiles(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
