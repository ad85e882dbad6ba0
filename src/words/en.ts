import { account } from './en/account.ts'
import { look } from './en/browse.ts'
import { connect } from './en/connect.ts'
import { brandPictures } from './en/dashboard/brand-pictures.ts'
import { dashboardCharts } from './en/dashboard/charts.ts'
import { dashboardFrame } from './en/dashboard/frame.ts'
import { dashboardLabels } from './en/dashboard/labels.ts'
import { dashboardProviders } from './en/dashboard/providers.ts'
import { fileReports } from './en/dashboard/reports.ts'
import { dashboardStorages } from './en/dashboard/storages.ts'
import { dashboardUsers } from './en/dashboard/users.ts'
import { dashboardAudit } from './en/dashboard.ts'
import { errors } from './en/errors.ts'
import { order } from './en/files.ts'
import { frame } from './en/frame.ts'
import { login } from './en/login.ts'
import { mail } from './en/mail.ts'
import { dashboardFiles } from './en/moderation.ts'
import { trash } from './en/order/trash.ts'
import { siteSettings } from './en/settings.ts'
import { shares } from './en/shares.ts'
import { sitePages } from './en/site-pages.ts'
import { upload } from './en/upload.ts'
import { viewer } from './en/viewer.ts'
import type { WordsOf } from './words-of.ts'

/** Every text of the pages, in English: a file for each part. The other languages have the same keys; the compiler asks for them. */
export const en = {
  ...frame,
  ...account,
  ...mail,
  ...login,
  ...connect,
  ...dashboardProviders,
  ...viewer,
  ...look,
  ...shares,
  ...errors,
  ...upload,
  ...sitePages,
  ...siteSettings,
  ...dashboardFrame,
  ...dashboardFiles,
  ...fileReports,
  ...dashboardStorages,
  ...order,
  ...trash,
  ...dashboardUsers,
  ...dashboardLabels,
  ...dashboardAudit,
  ...dashboardCharts,
  ...brandPictures,
}

export type Words = WordsOf<typeof en>
