import { readDays, readOverview } from '../../../media/index.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { rangeIn } from '../overview.ts'
import { overviewPage } from './overview-page.ts'

export const showOverview: PageHandler = async (call) => ({
  page: overviewPage(call, {
    ...(await readOverview(call.site, userOf(call))),
    days: await readDays(call.site, rangeIn(call)),
  }),
})
