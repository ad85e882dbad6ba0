export { recountTotals } from './recount.ts'
export type { Site, UsedSite } from './site.ts'
export { type SiteAddress, Sites } from './sites.ts'
export { addToTotal, allTotals, insertTotals, noTotals, type TotalName, type Totals, totalNames } from './totals-table.ts'
export {
  defaultValues,
  isSwitchedOn,
  type LimitName,
  limitFault,
  limitNames,
  limitOf,
  type SiteValues,
} from './values.ts'
