import { inTransaction, type SiteDb } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { addToTotal, type Site } from '../site/index.ts'
import { isTokenOf } from './delete-token.ts'
import { fileNotFound } from './errors.ts'
import { deleteFileRow, findDeleteHashes, findFile } from './files-table.ts'
import { keepName } from './freed-names.ts'
import { waitInLine } from './line.ts'
import { deleteRemovals, insertRemovals } from './removals-table.ts'
import { keysOf, type StoredFile } from './stored-file.ts'

/** The file that a delete link is good for. A wrong token and a file that is gone are refused alike. */
export async function fileOfDeleteLink(site: Site, link: { id: string; token: string }): Promise<StoredFile> {
  const file = await findFile(site.db, link.id, site.clock.now())
  const hashes = await findDeleteHashes(site.db, link.id)
  if (!file || hashes === undefined || !isTokenOf(link.token, hashes)) throw fileNotFound()
  return file
}

/** The row goes first, with a note of the bytes; then the bytes; then the note. Each step may be repeated. */
export async function removeFile(site: Site, file: StoredFile): Promise<void> {
  const removals = keysOf(file).map((path) => ({ id: randomId(), path }))
  const remove = async (db: SiteDb) => {
    // Before the row, as uploads do it too: two that lock in another order would wait for each other.
    await addToTotal(db, 'files', -1)
    const gone = await deleteFileRow(db, file.id)
    if (!gone) throw fileNotFound()
    await addToTotal(db, 'storageUsed', -gone.storedBytes)
    await addToTotal(db, 'fileViews', -gone.views)
    await addToTotal(db, 'fileLikes', -gone.likes)
    await keepName(db, gone, site.clock.now())
    await insertRemovals(db, removals, site.clock.now())
  }
  await inTransaction(site.db, remove, async (db) => {
    await waitInLine(db)
    return (await findDeleteHashes(db, file.id)) === undefined
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
