import { type ChangingSite, readSettings } from '../../site/index.ts'
import { updateFiles } from '../files/files-table.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { countOpenReports, wereBytesKept } from './reports-table.ts'

/**
 * Hides a file like one that waits for approval, if it has as many open reports as the setting `report_hide` says and its
 * bytes were not decided on. Returns whether it was hidden. Part of the caller's transaction, under the lock of the site.
 */
export async function hideIfReported(site: ChangingSite, file: StoredFile): Promise<boolean> {
  const most = Number((await readSettings(site)).report_hide)
  if (most === 0 || !file.isApproved) return false
  if ((await countOpenReports(site.db, file.id)) < most || (await wereBytesKept(site.db, file))) return false
  await updateFiles(site.db, [file.id], { isApproved: 0 }, site.clock.now())
  return true
}
