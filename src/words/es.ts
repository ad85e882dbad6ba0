import type { Words } from './en.ts'
import { account } from './es/account.ts'
import { browse } from './es/browse.ts'
import { consoleFindings, outages } from './es/console-findings.ts'
import { consoleFrame } from './es/console-frame.ts'
import { consoleOverviewWords } from './es/console-overview.ts'
import { consoleTenantWords } from './es/console-tenants.ts'
import { consoleValues } from './es/console-values.ts'
import { consoleWork } from './es/console-work.ts'
import { dashboard } from './es/dashboard.ts'
import { fieldFaults } from './es/faults.ts'
import { files } from './es/files.ts'
import { frame } from './es/frame.ts'
import { login } from './es/login.ts'
import { mail } from './es/mail.ts'
import { moderation } from './es/moderation.ts'
import { presets } from './es/presets.ts'
import { refused } from './es/refusals.ts'
import { settings } from './es/settings.ts'
import { shares } from './es/shares.ts'
import { upload } from './es/upload.ts'

export const es: Words = {
  ...frame,
  ...fieldFaults,
  refusals: { ...refused.refusals, ...outages },
  ...login,
  ...account,
  ...mail,
  ...browse,
  ...files,
  ...shares,
  ...upload,
  ...dashboard,
  ...moderation,
  ...settings,
  ...presets,
  ...consoleFindings,
  ...consoleFrame,
  ...consoleOverviewWords,
  ...consoleTenantWords,
  ...consoleValues,
  ...consoleWork,
}
