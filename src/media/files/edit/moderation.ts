import { inTransaction } from '../../../db/index.ts'
import { isId } from '../../../lib/ids.ts'
import { type ChangingSite, recordChange, type Site } from '../../../site/index.ts'
import { noSuchFile } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { closeReports, closeReportsOfPending } from '../../reports/reports-table.ts'
import { findFile, updateFiles } from '../files-table.ts'
import { approvePending, type FileFilter, newestFiles } from '../list/file-lists-table.ts'
import { removeFile } from '../removal/delete-files.ts'
import { recordFiles } from '../removal/trash.ts'
import type { StoredFile } from '../stored-file.ts'

/** The files of a site, newest first. */
export const listFiles = (site: Site, filter: FileFilter): Promise<StoredFile[]> =>
  newestFiles(site.db, filter, site.clock.now())

/** A file by its id, approved or not, for an operator. */
export async function fileOfId(site: Site, id: string): Promise<StoredFile> {
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const file = isId(id) ? await findFile(site.db, id, site.clock.now()) : undefined
  if (!file) throw noSuchFile(id)
  return file
}

/** Approves files, all or none. Returns how many of them were pending. */
export function approveFiles(site: ChangingSite, ids: readonly string[]): Promise<number> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    const files: StoredFile[] = []
    for (const id of new Set(ids)) files.push(await fileOfId({ ...site, db }, id))
    const pending = files.filter((file) => !file.isApproved)
    const pendingIds = pending.map(({ id }) => id)
    if (pendingIds.length === 0) return 0
    await updateFiles(db, pendingIds, { isApproved: 1 }, site.clock.now())
    await closeReports(db, pendingIds, site.clock.now())
    await recordFiles({ ...site, db }, 'file.approved', pending)
    return pending.length
  })
}

/** Approves every pending file. */
export const approveAllFiles = (site: ChangingSite): Promise<number> =>
  inTransaction(site.db, async (db) => {
    await lockSite(db)
    await closeReportsOfPending(db, site.clock.now())
    const files = await approvePending(db, site.clock.now())
    if (files > 0)
      await recordChange({ ...site, db }, { verb: 'file.approved', target: '', after: { files } })
    return files
  })

export async function removeFileOfId(site: ChangingSite, id: string): Promise<StoredFile> {
  const file = await fileOfId(site, id)
  await removeFile(site, file)
  return file
}
