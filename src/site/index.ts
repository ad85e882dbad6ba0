export { acceptAudit, auditKeptMs, listAudit, walkAudit } from './audit/audit.ts'
export { type AuditLog, AuditLogs, installationLog } from './audit/audit-logs.ts'
export {
  type AuditFilter,
  type AuditHead,
  auditAfter,
  type ListedAudit,
} from './audit/audit-table.ts'
export { type AuditVerb, auditVerbs, isAuditVerb } from './audit/audit-verbs.ts'
export { type Author, authoredBy } from './audit/author.ts'
export { firstHash, hashOfFields } from './audit/chain.ts'
export { type Changed, changedFields, isEqual, isHidden, redacted } from './audit/changed-fields.ts'
export {
  type AuditRows,
  type BrokenAudit,
  copySignedHead,
  findBrokenChain,
  findConflictWithCopy,
} from './audit/check-chain.ts'
export { type AuditedSite, recordChange, recordChanges } from './audit/record-change.ts'
export { recordEvent, writeCounts } from './audit/record-event.ts'
export {
  copyHead,
  findAuditConflict,
  findBrokenAudit,
  pruneUpTo,
  signAnew,
  signedAfter,
} from './audit/sign-head.ts'
export { BackendPool } from './backend-pool.ts'
export { type ChangingSite, changingSite } from './changing-site.ts'
export {
  addToDay,
  addToDayOfOwners,
  addToDayOfUser,
  byDay,
  type CountsByDay,
  type DayCounts,
  type DayTotalName,
  type DoneName,
  dayAfter,
  dayMs,
  dayOf,
  dayTotalsOfUserSince,
  dayTotalsSince,
  deleteDaysBefore,
  doneNames,
  type StandingName,
  standingNames,
  usageKeptFrom,
  usageRowsKeptFrom,
  usageRowsKeptMs,
  userDoneNames,
  userStandingNames,
} from './day-totals-table.ts'
export {
  deleteLabelTotals,
  deleteLabelTotalsOf,
  isOpenToLists,
  labelTotalsOf,
  recounted,
  recountedById,
  wrongLabelTotals,
} from './label-totals-table.ts'
export { bytesFolder, isSameLocation, locationValues, ownLocation, type SiteLocation } from './location.ts'
export {
  countQuotaRefusal,
  countUpload,
  newProcessCounters,
  type ProcessCounters,
} from './process-counters.ts'
export { siteValuesOf } from './process-values.ts'
export { PurgeQueue, purgingOf } from './purges/purge-queue.ts'
export { droppedOptionsOf, mostPaths, noteDropped, purgeFiles } from './purges/purge-rows.ts'
export { deletePurges, firstPurges, type SitePurge } from './purges/purges-table.ts'
export {
  currentQuotas,
  isTrafficUsedUp,
  quotasOfText,
  secondsToNextMonth,
  suspendedBy,
  suspensionsOf,
  textOfQuotas,
} from './quotas/closed-sites.ts'
export {
  hasQuotas,
  isJudgedAnew,
  judgeAllQuotas,
  judgeChangedQuotas,
  judgeRefusedQuota,
  monthOf,
  readQuotaUse,
} from './quotas/judge-quotas.ts'
export { type DueQuotaMail, takeQuotaMails } from './quotas/quota-mails.ts'
export { isQuotaName, markQuotaUse, type QuotaName, quotaNames } from './quotas/quota-names.ts'
export type { QuotaState } from './quotas/quota-rules.ts'
export { isOpenUpload, quotaStatesOf, sumOfMonth } from './quotas/quota-states-table.ts'
export { emptyQuotas, type Quota, type Quotas, quotaStates, readQuotas } from './quotas/read-quotas.ts'
export { recountTotals, wrongUserTotals } from './recount.ts'
export { countRows } from './row-counts-table.ts'
export { confirmRows, lastRowsToken } from './row-tokens.ts'
export {
  changeSetting,
  changeSettings,
  type FloodPeriod,
  readSettings,
  type SettingName,
  type Settings,
  type SettingType,
  settingsChanged,
  settingTable,
  unknownSetting,
} from './settings.ts'
export {
  areSigningKeys,
  previousKey,
  rotationOf,
  type SigningKeys,
  type StoredSigningKeys,
} from './signing-keys.ts'
export {
  emptySealedSigningKeys,
  findSealedSigningKeys,
  replaceSealedSigningKeys,
  unpublishedKeysOf,
} from './signing-keys-table.ts'
export type { Site, UsedSite } from './site.ts'
export { deriveSiteKey, type SiteKeyPurpose } from './site-key.ts'
export { type SiteAddress, Sites } from './sites.ts'
export {
  addToTotal,
  allTotals,
  findStatsVersion,
  insertTotals,
  lockTotal,
  noTotals,
  raiseStatsVersion,
  raiseStatsVersionTo,
  statsVersionOf,
  type TotalName,
  type Totals,
  totalNames,
  totalsOf,
} from './totals-table.ts'
export {
  laterOf,
  noUsage,
  siteColumns,
  type UsageColumns,
  type UsageRange,
  type UsageRow,
  usageRows,
  usageSteps,
  userColumns,
} from './usage.ts'
export { largestUserTotals, totalsOfUser, type UserTotals } from './user-totals-table.ts'
export {
  countLimits,
  defaultValues,
  isSwitchedOn,
  type LimitName,
  limitNames,
  limitOf,
  type QuotaAction,
  quotaActionOf,
  quotaActions,
  quotaAlertsOf,
  quotaGraceDaysOf,
  renamedValues,
  type SiteValues,
  switchNames,
  type ValueName,
  valueFault,
  valueNames,
  withCurrentNames,
} from './values.ts'
