import { account } from './en/account.ts'
import { browse } from './en/browse.ts'
import { consoleFindings, outages } from './en/console-findings.ts'
import { consoleFrame } from './en/console-frame.ts'
import { consoleOverviewWords } from './en/console-overview.ts'
import { consoleTenantWords } from './en/console-tenants.ts'
import { consoleValues } from './en/console-values.ts'
import { consoleWork } from './en/console-work.ts'
import { dashboard } from './en/dashboard.ts'
import { fieldFaults } from './en/faults.ts'
import { files } from './en/files.ts'
import { frame } from './en/frame.ts'
import { login } from './en/login.ts'
import { mail } from './en/mail.ts'
import { moderation } from './en/moderation.ts'
import { presets } from './en/presets.ts'
import { refused } from './en/refusals.ts'
import { settings } from './en/settings.ts'
import { shares } from './en/shares.ts'
import { upload } from './en/upload.ts'
import type { WordsOf } from './words-of.ts'

/** Every text of the pages, in English: a file for each subject. The other languages have the same keys; the compiler asks for them. */
export const en = {
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

export type Words = WordsOf<typeof en>
