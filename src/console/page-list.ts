import { auditPages } from './audit/audit-pages.ts'
import { backupPages } from './backups/backup-pages.ts'
import type { ConsoleRoute } from './console-call.ts'
import { findPages } from './find/find.ts'
import { healthPages } from './health/health-pages.ts'
import { jobPages } from './jobs/job-pages.ts'
import { keyPages } from './keys/key-pages.ts'
import { logInPages } from './log-in/log-in-pages.ts'
import { mePages } from './me/me-pages.ts'
import { movePages } from './moves/move-pages.ts'
import { operatorPages } from './operators/operator-pages.ts'
import { overviewPages } from './overview/overview-pages.ts'
import { planPages } from './plans/plan-pages.ts'
import { tenantPages } from './tenants/tenant-pages.ts'
import { valuePages } from './values/value-pages.ts'
import { workPages } from './work/work-answer.ts'

/** Every page of the console: method, path, who may open it, handler. Each part adds a block of its own. */
export const consoleRoutes: readonly ConsoleRoute[] = [
  ...logInPages,
  ...movePages,
  ...jobPages,
  ...healthPages,
  ...backupPages,
  ...workPages,
  ...keyPages,
  ...operatorPages,
  ...tenantPages,
  ...findPages,
  ...mePages,
  ...auditPages,
  ...valuePages,
  ...planPages,
  ...overviewPages,
]
