import { listReported } from '../../../media/index.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { changedFiles } from '../files/changed-files.ts'
import { pageNumberIn } from '../page-number.ts'
import { reportsPage } from '../reports.ts'

const filesOfPage = 20

/** Files that were reported, those that have waited longest first. */
export const showReports: PageHandler = async (call) => {
  const page = pageNumberIn(call)
  const found = await listReported(call.site, userOf(call), {
    offset: (page - 1) * filesOfPage,
    limit: filesOfPage + 1,
  })
  const [files, hasNext] = [found.slice(0, filesOfPage), found.length > filesOfPage]
  const done = await changedFiles(call, '/dashboard/reports')
  return { page: reportsPage(call, { files, page, hasNext, done }) }
}
