import { inTransaction } from '../db/index.ts'
import type { Site } from '../site/index.ts'
import { noSuchFile } from './errors.ts'
import { approveFile, approvePending, type FileFilter, newestFiles } from './file-lists-table.ts'
import { findFile } from './files-table.ts'
import { removeFile } from './remove-file.ts'
import type { StoredFile } from './stored-file.ts'

/** The files of a site, the newest first. */
export const listFiles = (site: Site, filter: FileFilter): Promise<StoredFile[]> =>
  newestFiles(site.db, filter, site.clock.now())

/** A file by its id, for somebody who may see it whatever became of it. */
export async function fileOfId(site: Site, id: string): Promise<StoredFile> {
  // Not every store can be asked for every character.
  const file = /^[A-Za-z0-9]{1,64}$/.test(id) ? await findFile(site.db, id, site.clock.now()) : undefined
  if (!file) throw noSuchFile(id)
  return file
}

/** Shows files that were held back, all of them or none. Tells how many of them were. */
export function approveFiles(site: Site, ids: readonly string[]): Promise<number> {
  return inTransaction(site.db, async (db) => {
    const files: StoredFile[] = []
    for (const id of new Set(ids)) files.push(await fileOfId({ ...site, db }, id))
    const pending = files.filter((file) => !file.isApproved)
    for (const { id } of pending) await approveFile(db, id)
    return pending.length
  })
}

/** Shows every file that is held back. */
export const approveAllFiles = (site: Site): Promise<number> =>
  inTransaction(site.db, (db) => approvePending(db, site.clock.now()))

export async function removeFileOfId(site: Site, id: string): Promise<StoredFile> {
  const file = await fileOfId(site, id)
  await removeFile(site, file)
  return file
}
