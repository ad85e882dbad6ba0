import { scopeMissing, type UserCaller } from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { notReported } from '../errors.ts'
import { decide } from '../files/edit/decide-files.ts'
import { fileOfId } from '../files/edit/moderation.ts'
import type { ShownFile } from '../files/list/shown-columns-table.ts'
import { findShownFiles } from '../files/list/shown-files-table.ts'
import { removeBytesNow } from '../files/removal/delete-files.ts'
import { deleteOrTrash } from '../files/removal/trash.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { lockSite } from '../lock-site.ts'
import { seesEverything, type Visibility, visibilityById } from '../visibility.ts'
import {
  countOpenCases,
  countOpenReports,
  openCases,
  type ReportCase,
  type ReportReason,
  type ReportText,
  reasonsOf,
  textsOf,
} from './reports-table.ts'

/** A file with its open reports. */
export interface ReportedFile extends Pick<ReportCase, 'reports' | 'firstAt'> {
  shown: ShownFile
  reasons: readonly { reason: ReportReason; count: number }[]
  /** The newest `mostTexts`. */
  texts: readonly ReportText[]
}

const mostTexts = 10

/** A page of the files that were reported and not decided on, for administrators and managers. */
export async function listReported(site: Site, caller: UserCaller, page: Page): Promise<ReportedFile[]> {
  const visibility = visibilityById(caller)
  if (!visibility.seesAll) throw scopeMissing('admin')
  return reportedFiles(site, visibility, page)
}

interface Page {
  offset: number
  limit: number
}

async function reportedFiles(site: Site, visibility: Visibility, page: Page): Promise<ReportedFile[]> {
  const now = site.clock.now()
  const cases = await openCases(site.db, { now, ...page })
  const ids = cases.map(({ fileId }) => fileId)
  const shown = new Map(
    (await findShownFiles(site.db, visibility, { ids }, now)).map((each) => [each.file.id, each]),
  )
  const reported = cases.map(async ({ fileId, reports, firstAt }): Promise<ReportedFile[]> => {
    const file = shown.get(fileId)
    // Removed since the cases were read.
    if (!file) return []
    const [reasons, texts] = [await reasonsOf(site.db, fileId), await textsOf(site.db, fileId, mostTexts)]
    return [{ shown: file, reports, firstAt, reasons, texts }]
  })
  return (await Promise.all(reported)).flat()
}

/** How many files were reported and not decided on. */
export const countReported = (site: Site): Promise<number> => countOpenCases(site.db, site.clock.now())

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
