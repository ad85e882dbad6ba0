import type { SiteDb } from '../../db/index.ts'
import { batchSize, type JobContext } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { tagsOfFiles } from '../files/labels/tags-table.ts'
import { lockSite } from '../lock-site.ts'
import {
  filesWithoutTexts,
  insertFileText,
  numbersOfFiles,
  searchedFilesOfIds,
  updateAlbumsWithoutTexts,
  updateFileText,
  updateFileTexts,
  updateSortedTexts,
  updateTagsWithoutForm,
} from './file-texts-table.ts'
import { fileWords, type IndexedFile } from './words.ts'

interface TaggedFile {
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

/** Makes what the search and the sorting need of older files, tags and albums. Each batch is done for good. */
export async function indexTexts(_site: Site, context: JobContext): Promise<number> {
  let count = 0
  for (const work of [indexFilesWithoutTexts, updateTagsWithoutForm, updateAlbumsWithoutTexts]) {
    for (let done = batchSize; done === batchSize && !context.isOver; count += done) {
      done = await context.fencedTransaction(async (db) => {
        // Locked before the rows, as uploads and edits do.
        await lockSite(db)
        return work(db, batchSize)
      })
    }
  }
  return count
}

async function indexFilesWithoutTexts(db: SiteDb, limit: number): Promise<number> {
  const files = await filesWithoutTexts(db, limit)
  if (files.length === 0) return 0
  await reindexFilesOfIds(
    db,
    files.map(({ id }) => id),
  )
  for (const file of files) await updateSortedTexts(db, file)
  return files.length
}
