import type { SiteDb } from '../../../db/index.ts'
import { tagsOfFiles } from '../../files/tags-table.ts'
import { fileWords, type IndexedFile } from '../words/file-words.ts'
import { insertFileText, numbersOfFiles, updateFileText, updateFileTexts } from './file-texts-table.ts'
import { searchedFilesOfIds } from './searched-files-table.ts'

export interface TaggedFile {
  file: IndexedFile
  tags: readonly string[]
}

/** For a new file, in the transaction of its row. */
export const indexNewFile = (db: SiteDb, file: IndexedFile, tags: readonly string[]): Promise<void> =>
  insertFileText(db, file, fileWords(file, tags))

/** In every transaction that changes titles, tags, names or descriptions of files. */
export async function reindexFiles(db: SiteDb, files: readonly TaggedFile[]): Promise<void> {
  const [first] = files
  if (!first) return
  if (files.length === 1) return reindexFile(db, first)
  const numbers = await numbersOfFiles(
    db,
    files.map(({ file }) => file.id),
  )
  const rows = files.map(({ file, tags }) => ({
    ...{ file, number: numbers.get(file.id), words: fileWords(file, tags) },
  }))
  await updateFileTexts(
    db,
    rows.flatMap(({ file, number, words }) =>
      number === undefined ? [] : [{ number, fileId: file.id, ...words }],
    ),
  )
  // The words of an older file may still be missing.
  for (const { file, number, words } of rows) if (number === undefined) await insertFileText(db, file, words)
}

async function reindexFile(db: SiteDb, { file, tags }: TaggedFile): Promise<void> {
  const words = fileWords(file, tags)
  if (!(await updateFileText(db, file.id, words))) await insertFileText(db, file, words)
}

export async function reindexFilesOfIds(db: SiteDb, ids: readonly string[]): Promise<void> {
  const tags = await tagsOfFiles(db, ids)
  const files = await searchedFilesOfIds(db, ids)
  await reindexFiles(
    db,
    files.map((file) => ({ file, tags: tags.get(file.id) ?? [] })),
  )
}
