import { inTransaction } from '../db/index.ts'
import { addToTotal, type Site } from '../site/index.ts'
import { fileNotFound } from './errors.ts'
import { addView, findFile, findFileByName } from './files-table.ts'
import { fileNameOf, keyOf, type StoredFile } from './stored-file.ts'
import { tagsOfFile } from './tags-table.ts'

/** A file by its id, unless it is gone or expired. */
export async function readFile(site: Site, id: string): Promise<StoredFile> {
  const file = await findFile(site.db, id, site.clock.now())
  if (!file) throw fileNotFound()
  return file
}

/** What stands at a path of the site: a file, or a version of one. */
export interface FoundBytes {
  file: StoredFile
  key: string
  mime: string
  sizeBytes: number
}

const versionMark = /\.(?:th|md|fr)$/

export async function findBytes(
  site: Site,
  folder: string,
  fileName: string,
): Promise<FoundBytes | undefined> {
  const stem = fileName.replace(/\.[^.]*$/, '')
  const file = await findFileByName(site.db, folder, stem.replace(versionMark, ''), site.clock.now())
  if (!file?.isApproved) return undefined
  if (fileNameOf(file) === fileName)
    return { file, key: keyOf(file), mime: file.mime, sizeBytes: file.sizeBytes }
  const variant = file.variants.find((each) => fileNameOf(file, each) === fileName)
  return variant && { file, key: keyOf(file, variant), mime: variant.mime, sizeBytes: variant.sizeBytes }
}

export const tagsOf = (site: Site, file: StoredFile): Promise<string[]> => tagsOfFile(site.db, file.id)

export async function countView(site: Site, file: StoredFile): Promise<void> {
  await inTransaction(site.db, async (db) => {
    if (await addView(db, file.id)) await addToTotal(db, 'fileViews', 1)
  })
}
