import { sql } from 'kysely'
import { prepare, prepareInsertion, type SiteDb, type SiteTables } from '../../db/index.ts'
import { sortedTexts } from '../files/files-table.ts'
import { albumTexts } from './match-texts.ts'
import { type FileWords, type IndexedFile, sortForm } from './words.ts'

/** Numbers of one millisecond; with more files than this, some get the numbers of the next one. */
const numbersPerMs = 1_024

const insertion = prepareInsertion('fileText', ['number'])

export async function insertFileText(
  db: SiteDb,
  file: Pick<IndexedFile, 'id' | 'createdAt'>,
  words: FileWords,
): Promise<void> {
  let number = file.createdAt.getTime() * numbersPerMs + spreadOf(file.id)
  while (!(await insertion(db, { number, fileId: file.id, ...words }))) number = await freeNumber(db, number)
}

/** Spreads files of one millisecond over its numbers, so that they rarely meet. */
function spreadOf(id: string): number {
  let hash = 0
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % numbersPerMs
  return hash
}

const windowSize = 1_000

async function freeNumber(db: SiteDb, taken: number): Promise<number> {
  for (let from = taken; ; from += windowSize) {
    const rows = await db
      .selectFrom('fileText')
      .select('number')
      .where('number', '>=', from)
      .where('number', '<', from + windowSize)
      .orderBy('number')
      .execute()
    const free = rows.findIndex(({ number }, index) => number !== from + index)
    if (free !== -1) return from + free
    if (rows.length < windowSize) return from + rows.length
  }
}

/** Replaces the words of a file, if it has any. */
export const updateFileText = (db: SiteDb, fileId: string, words: FileWords): Promise<void> =>
  replacement.later(db, { fileId, ...words })

const replacement = prepare<'fileId' | keyof FileWords, unknown>(
  (db, { fileId, title, tags, name, description }) =>
    db.updateTable('fileText').set({ title, tags, name, description }).where('fileId', '=', fileId),
)

/** Of those files that have words. */
export async function numbersOfFiles(db: SiteDb, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('fileText')
    .select(['fileId', 'number'])
    .where('fileId', 'in', ids)
    .execute()
  return new Map(rows.map(({ fileId, number }) => [fileId, number]))
}

/** Each row has six parameters, and SQLite takes 32,766 of them. */
const mostPerStatement = 1_000

/** Replaces the words of rows that exist. */
export async function updateFileTexts(db: SiteDb, rows: readonly SiteTables['fileText'][]): Promise<void> {
  for (let from = 0; from < rows.length; from += mostPerStatement)
    await db
      .insertInto('fileText')
      .values(rows.slice(from, from + mostPerStatement))
      .onConflict((conflict) =>
        conflict.column('number').doUpdateSet((row) => ({
          title: row.ref('excluded.title'),
          tags: row.ref('excluded.tags'),
          name: row.ref('excluded.name'),
          description: row.ref('excluded.description'),
        })),
      )
      .execute()
}

/** Gives up to `limit` tags their form; returns how many. */
export async function updateTagsWithoutForm(db: SiteDb, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('tag')
    .select('name')
    .where('form', '=', '')
    .orderBy('name')
    .limit(limit)
    .execute()
  for (const { name } of rows)
    await db
      .updateTable('tag')
      .set({ form: sortForm(name) })
      .where('name', '=', name)
      .execute()
  return rows.length
}

/** Gives up to `limit` albums what they are found and sorted by; returns how many. */
export async function updateAlbumsWithoutTexts(db: SiteDb, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('album')
    .select(['id', 'title', 'description'])
    .where('titleSort', '=', sql.lit(''))
    .orderBy('id')
    .limit(limit)
    .execute()
  for (const { id, title, description } of rows)
    await db.updateTable('album').set(albumTexts(title, description)).where('id', '=', id).execute()
  return rows.length
}

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
