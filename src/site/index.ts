export { recountTotals } from './recount.ts'
export {
  changeSetting,
  type FloodPeriod,
  readSettings,
  type SettingName,
  type Settings,
  settingTable,
  unknownSetting,
} from './settings.ts'
export type { Site, UsedSite } from './site.ts'
export { type SiteAddress, Sites } from './sites.ts'
export {
  addToTotal,
  allTotals,
  insertTotals,
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
