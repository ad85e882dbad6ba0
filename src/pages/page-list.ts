import { accountPages } from './account/account-pages.ts'
import { browsePages } from './browse/browse-pages.ts'
import { dashboardPages } from './dashboard/dashboard-pages.ts'
import { siteDashboardPages } from './dashboard/site-dashboard-pages.ts'
import type { PageRoute } from './page-call.ts'
import { textPages } from './texts/text-pages.ts'
import { uploadPages } from './upload/upload-pages.ts'

/** Every page of a site: method, path, who may open it, handler. Each part adds a block of its own. */
export const pageRoutes: readonly PageRoute[] = [
  ...accountPages,
  ...browsePages,
  ...uploadPages,
  ...textPages,
  ...siteDashboardPages,
  ...dashboardPages,
]
