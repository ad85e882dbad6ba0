import type { Words } from './en.ts'
import { account } from './es/account.ts'
import { look } from './es/browse.ts'
import { connect } from './es/connect.ts'
import { brandPictures } from './es/dashboard/brand-pictures.ts'
import { dashboardCharts } from './es/dashboard/charts.ts'
import { dashboardFrame } from './es/dashboard/frame.ts'
import { dashboardLabels } from './es/dashboard/labels.ts'
import { dashboardProviders } from './es/dashboard/providers.ts'
import { fileReports } from './es/dashboard/reports.ts'
import { dashboardStorages } from './es/dashboard/storages.ts'
import { dashboardUsers } from './es/dashboard/users.ts'
import { dashboardAudit } from './es/dashboard.ts'
import { errors } from './es/errors.ts'
import { order } from './es/files.ts'
import { frame } from './es/frame.ts'
import { login } from './es/login.ts'
import { mail } from './es/mail.ts'
import { dashboardFiles } from './es/moderation.ts'
import { trash } from './es/order/trash.ts'
import { siteSettings } from './es/settings.ts'
import { shares } from './es/shares.ts'
import { sitePages } from './es/site-pages.ts'
import { upload } from './es/upload.ts'
import { viewer } from './es/viewer.ts'

export const es: Words = {
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
