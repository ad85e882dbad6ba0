import { scopeMissing, type UserCaller } from '../../accounts/index.ts'
import type { Site } from '../../site/index.ts'
import { findShownFiles } from '../files/list/shown-by-id-table.ts'
import type { ShownFile } from '../files/list/shown-columns-table.ts'
import { type Visibility, visibilityById } from '../visibility.ts'
import type { ReportReason } from './report-rules.ts'
import {
  countOpenCases,
  openCases,
  type ReportCase,
  type ReportText,
  reasonsOf,
  textsOf,
} from './reported-files-table.ts'

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

export async function reportedFiles(site: Site, visibility: Visibility, page: Page): Promise<ReportedFile[]> {
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
