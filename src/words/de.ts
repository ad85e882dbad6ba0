import { account } from './de/account.ts'
import { look } from './de/browse.ts'
import { connect } from './de/connect.ts'
import { brandPictures } from './de/dashboard/brand-pictures.ts'
import { dashboardCharts } from './de/dashboard/charts.ts'
import { dashboardFrame } from './de/dashboard/frame.ts'
import { dashboardLabels } from './de/dashboard/labels.ts'
import { dashboardProviders } from './de/dashboard/providers.ts'
import { fileReports } from './de/dashboard/reports.ts'
import { dashboardStorages } from './de/dashboard/storages.ts'
import { dashboardUsers } from './de/dashboard/users.ts'
import { dashboardAudit } from './de/dashboard.ts'
import { errors } from './de/errors.ts'
import { order } from './de/files.ts'
import { frame } from './de/frame.ts'
import { login } from './de/login.ts'
import { mail } from './de/mail.ts'
import { dashboardFiles } from './de/moderation.ts'
import { trash } from './de/order/trash.ts'
import { siteSettings } from './de/settings.ts'
import { shares } from './de/shares.ts'
import { sitePages } from './de/site-pages.ts'
import { upload } from './de/upload.ts'
import { viewer } from './de/viewer.ts'
import type { Words } from './en.ts'

export const de: Words = {
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
