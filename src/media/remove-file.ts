import { inTransaction } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { addToTotal, type Site } from '../site/index.ts'
import { isTokenOf } from './delete-token.ts'
import { fileNotFound } from './errors.ts'
import { deleteFileRow, findDeleteHash, findFile } from './files-table.ts'
import { deleteRemovals, insertRemovals } from './removals-table.ts'
import { keysOf, type StoredFile, storedBytesOf } from './stored-file.ts'

/** The file that a delete link is good for. A wrong token and a file that is gone are refused alike. */
export async function fileOfDeleteLink(site: Site, link: { id: string; token: string }): Promise<StoredFile> {
  const file = await findFile(site.db, link.id, site.clock.now())
  const deleteHash = await findDeleteHash(site.db, link.id)
  if (!file || deleteHash === undefined || !isTokenOf(link.token, deleteHash)) throw fileNotFound()
  return file
}

/** The row goes first, with a note of the bytes; then the bytes; then the note. Each step may be repeated. */
export async function removeFile(site: Site, file: StoredFile): Promise<void> {
  const removals = keysOf(file).map((path) => ({ id: randomId(), path }))
  await inTransaction(site.db, async (db) => {
    if (!(await deleteFileRow(db, file.id))) throw fileNotFound()
    await addToTotal(db, 'files', -1)
    await addToTotal(db, 'storageUsed', -storedBytesOf(file))
    await addToTotal(db, 'fileViews', -file.views)
    await addToTotal(db, 'fileLikes', -file.likes)
    await insertRemovals(db, removals, site.clock.now())
  })
  try {
    await site.storage.remove(removals.map(({ path }) => path))
    await deleteRemovals(
      site.db,
      removals.map(({ id }) => id),
    )
  } catch {
    // The note stays: the bytes are removed later. The file is gone for everybody already.
  }
}
