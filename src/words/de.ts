import { account } from './de/account.ts'
import { browse } from './de/browse.ts'
import { consoleFindings, outages } from './de/console-findings.ts'
import { consoleFrame } from './de/console-frame.ts'
import { consoleOverviewWords } from './de/console-overview.ts'
import { consoleTenantWords } from './de/console-tenants.ts'
import { consoleValues } from './de/console-values.ts'
import { consoleWork } from './de/console-work.ts'
import { dashboard } from './de/dashboard.ts'
import { fieldFaults } from './de/faults.ts'
import { files } from './de/files.ts'
import { frame } from './de/frame.ts'
import { login } from './de/login.ts'
import { mail } from './de/mail.ts'
import { moderation } from './de/moderation.ts'
import { presets } from './de/presets.ts'
import { refused } from './de/refusals.ts'
import { settings } from './de/settings.ts'
import { shares } from './de/shares.ts'
import { upload } from './de/upload.ts'
import type { Words } from './en.ts'

export const de: Words = {
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
