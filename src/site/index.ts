export { careDueAt, careSliceMs, carryOn, visitIntervalMs } from './care.ts'
export { leaseLost } from './errors.ts'
export { deleteJobRun, findFence, findJobRun, type JobRun, upsertJobRun } from './job-runs-table.ts'
export { type Landmarks, type RememberedJob, readLandmarks } from './landmarks-table.ts'
export { bytesFolder, isSamePlace, ownPlace, placeValues, type SitePlace } from './place.ts'
export { Places } from './places.ts'
export { recountTotals } from './recount.ts'
export { refreshStats } from './refresh-stats.ts'
export { countRows } from './row-counts-table.ts'
export {
  changeSetting,
  type FloodPeriod,
  readSettings,
  type SettingName,
  type Settings,
  settingTable,
  unknownSetting,
} from './settings.ts'
export { type Lease, openShift, type Shift } from './shift.ts'
export type { Site, UsedSite } from './site.ts'
export { batchSize, type SiteJob } from './site-job.ts'
export { type SiteAddress, Sites } from './sites.ts'
export {
  addToTotal,
  allTotals,
  insertTotals,
  lockTotal,
  noTotals,
  type TotalName,
  type Totals,
  totalNames,
} from './totals-table.ts'
export {
  defaultValues,
  isSwitchedOn,
  type LimitName,
  limitNames,
  limitOf,
  type SiteValues,
  toggles,
  valueFault,
} from './values.ts'
