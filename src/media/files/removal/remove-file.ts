import { inTransaction, type SiteDb } from '../../../db/index.ts'
import type { ChangingSite, Site } from '../../../site/index.ts'
import { fileNotFound } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { findDeleteHashes, findFile } from '../files-table.ts'
import type { StoredFile } from '../stored-file.ts'
import { deleteFiles, type Removal } from './delete-files.ts'
import { isTokenOf } from './delete-token.ts'
import { deleteRemovals } from './removals-table.ts'

/** The file of a delete link. A wrong token and a missing file get the same refusal. */
export async function fileOfDeleteLink(site: Site, link: { id: string; token: string }): Promise<StoredFile> {
  const file = await findFile(site.db, link.id, site.clock.now())
  const hashes = await findDeleteHashes(site.db, link.id)
  if (!file || hashes === undefined || !isTokenOf(link.token, hashes)) throw fileNotFound()
  return file
}

/** Replaces the row by removal records, then removes the bytes, then the records. Each step may be repeated. */
export async function removeFile(site: ChangingSite, { id }: Pick<StoredFile, 'id'>): Promise<void> {
  const remove = async (db: SiteDb) => {
    const deleted = await deleteFiles({ ...site, db }, [id])
    if (deleted.count === 0) throw fileNotFound()
    return deleted.removals
  }
  const removals = await inTransaction(site.db, remove, async (db) => {
    await lockSite(db)
    return (await findDeleteHashes(db, id)) === undefined
  })
  await removeBytesNow(site, removals)
}

/** Removes the bytes of removal records, outside of the transaction that wrote them. */
export async function removeBytesNow(site: ChangingSite, removals: readonly Removal[]): Promise<void> {
  if (removals.length === 0) return
  try {
    await site.storage.remove(removals.map(({ path }) => path))
    await deleteRemovals(
      site.db,
      removals.map(({ id }) => id),
    )
  } catch {
    // The file is deleted; the removal records stay, and the job `remove-bytes` removes the bytes.
  }
}
