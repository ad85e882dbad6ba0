import type { SiteDb } from '../../../db/index.ts'
import { sortedTexts } from '../../files/files-table.ts'
import type { IndexedFile } from '../words.ts'

/** Files whose words and sort columns are missing. */
export async function filesWithoutTexts(db: SiteDb, limit: number): Promise<IndexedFile[]> {
  const rows = await searchedFiles(db)
    // A constant, because the index holds these rows alone.
    .where((eb) => eb('textVersion', '=', eb.lit(0)))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(fileOfRow)
}

export async function searchedFilesOfIds(db: SiteDb, ids: readonly string[]): Promise<IndexedFile[]> {
  const rows = await searchedFiles(db).where('id', 'in', ids).execute()
  return rows.map(fileOfRow)
}

export async function updateSortedTexts(db: SiteDb, file: IndexedFile): Promise<void> {
  await db.updateTable('file').set(sortedTexts(file)).where('id', '=', file.id).execute()
}

const searchedFiles = (db: SiteDb) =>
  db.selectFrom('file').select(['id', 'title', 'name', 'extension', 'description', 'createdAt'])

interface SearchedRow {
  id: string
  title: string | null
  name: string
  extension: string
  description: string | null
  createdAt: string
}

const fileOfRow = ({ title, description, createdAt, ...file }: SearchedRow): IndexedFile => ({
  ...file,
  title: title ?? undefined,
  description: description ?? undefined,
  createdAt: new Date(createdAt),
})
