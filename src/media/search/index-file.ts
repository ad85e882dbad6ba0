import type { SiteDb } from '../../db/index.ts'
import { tagsOfFiles } from '../files/labels/tags-table.ts'
import { fileWords, type IndexedFile } from './words.ts'
import { insertFileText, numbersOfFiles, updateFileText, updateFileTexts } from './file-texts-table.ts'
import { searchedFilesOfIds } from './indexing/searched-files-table.ts'

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
  if (files.length > 1) return indexFiles(db, files)
  // If the words of an older file are missing, the job `index-texts` makes them of the texts that it finds then.
  await updateFileText(db, first.file.id, fileWords(first.file, first.tags))
}

async function indexFiles(db: SiteDb, files: readonly TaggedFile[]): Promise<void> {
  const numbers = await numbersOfFiles(
    db,
    files.map(({ file }) => file.id),
  )
  const rows = files.map(({ file, tags }) => ({
    file,
    number: numbers.get(file.id),
    words: fileWords(file, tags),
  }))
  await updateFileTexts(
    db,
    rows.flatMap(({ file, number, words }) =>
      number === undefined ? [] : [{ number, fileId: file.id, ...words }],
    ),
  )
  for (const { file, number, words } of rows) if (number === undefined) await insertFileText(db, file, words)
}

export async function reindexFilesOfIds(db: SiteDb, ids: readonly string[]): Promise<void> {
  const tags = await tagsOfFiles(db, ids)
  const files = await searchedFilesOfIds(db, ids)
  await indexFiles(
    db,
    files.map((file) => ({ file, tags: tags.get(file.id) ?? [] })),
  )
}
