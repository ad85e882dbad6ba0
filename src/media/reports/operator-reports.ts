import { inTransaction } from '../../db/index.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { decide } from '../files/edit/decide-files.ts'
import { fileOfId } from '../files/edit/moderation.ts'
import { removeBytesNow } from '../files/removal/remove-file.ts'
import { deleteOrTrash } from '../files/removal/trash.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { lockSite } from '../lock-site.ts'
import { seesEverything } from '../visibility.ts'
import { notReported } from './errors.ts'
import { type ReportedFile, reportedFiles } from './list-reported.ts'
import { countOpenReports } from './reports-table.ts'

/** Files that were reported and not decided on, those that have waited longest first, for an operator. */
export const listAllReported = (site: Site, limit: number): Promise<ReportedFile[]> =>
  reportedFiles(site, seesEverything, { offset: 0, limit })

/** Keeps reported files, all or none: their reports are closed, and hidden files are shown again. Returns how many. */
export const keepReported = (site: ChangingSite, ids: readonly string[]): Promise<number> =>
  inTransaction(site.db, async (db) => {
    const changing = { ...site, db }
    const files = await reportedOfIds(changing, ids)
    await decide(changing, files, 'keep')
    return files.length
  })

/** Puts reported files into the trash, all or none; a site without a trash removes them for good. Returns how many. */
export async function removeReported(site: ChangingSite, ids: readonly string[]): Promise<number> {
  const { count, removals } = await inTransaction(site.db, async (db) => {
    const changing = { ...site, db }
    const files = await reportedOfIds(changing, ids)
    const removing = { isPermanent: false, visibility: seesEverything }
    return { count: files.length, removals: await deleteOrTrash(changing, files, removing) }
  })
  await removeBytesNow(site, removals)
  return count
}

async function reportedOfIds(site: ChangingSite, ids: readonly string[]): Promise<StoredFile[]> {
  await lockSite(site.db)
  const files: StoredFile[] = []
  for (const id of new Set(ids)) {
    const file = await fileOfId(site, id)
    if ((await countOpenReports(site.db, file.id)) === 0) throw notReported(file.id)
    files.push(file)
  }
  return files
}
