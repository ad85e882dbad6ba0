export { writeArchiveFile } from './archive/archive-file.ts'
export { type Exported, type ExportOptions, exportTenant } from './archive/export-tenant.ts'
export {
  dropEndedExports,
  openExportedArchive,
  readExport,
  removeExport,
  startExport,
  type TenantExport,
} from './archive/exports/exports.ts'
export { type ExportRunner, openExportRunner } from './archive/exports/run-exports.ts'
export { importTenant, verifyArchive } from './archive/import-tenant.ts'
export { sealedColumns } from './archive/sealed-columns-table.ts'
export type { ArchiveSink } from './archive/write-archive.ts'
export { startAuditWriting } from './audit-writing.ts'
export { type Demo, makeDemo } from './demo/demo.ts'
export { fillDemo } from './demo/fill-demo.ts'
export { type EditOfMany, editTenant, editTenants, type TenantEdit } from './edit-tenants.ts'
export { keyMissing, MoveStopped } from './errors.ts'
export { createInstalledTenant } from './lifecycle/create-installed.ts'
export { type Installation, installTenant, resetUserPassword } from './lifecycle/install.ts'
export { deleteTenant, finishDrops } from './lifecycle/removal.ts'
export { dropAbandonedImports } from './lifecycle/unfinished-sites.ts'
export { findTenants, lookUpTenants, storageLimitsOf, uploadsOfWeek } from './lists/find-tenants.ts'
export { mayHaveCertificate, type RoutingOptions, routingDocument } from './lists/routing.ts'
export {
  type TenantFilter,
  type TenantOrder,
  type TenantSort,
  type TenantState,
  type TenantSummary,
  tenantStates,
} from './lists/tenant-index.ts'
export { listTenants, tenantListOf, tenantPage } from './lists/tenant-list.ts'
export {
  distributeTables,
  keepSigningKeys,
  type LocationRecord,
  migrateSite,
  partsToMove,
  readLocation,
} from './locations/site-locations.ts'
export { finishMoves, recoverStaleMove } from './moves/finish-moves.ts'
export { type Moved, type MoveOptions, type MoveStep, moveTenant } from './moves/move-tenant.ts'
export { planMove, readLocations, type TenantLocations } from './moves/plan-move.ts'
export { openSite, siteSync, unconfirmedSite, useSite } from './open-site.ts'
export type { NearLimit } from './overview/limits-nearly-used.ts'
export { type InstallationOverview, readInstallation } from './overview/read-overview.ts'
export { failingPurges } from './purges/purges-table.ts'
export { type BaseOf, openPurgeSender, type PurgeSender } from './purges/send-purges.ts'
export { startQuotaChecks } from './quota-checks.ts'
export { countQuotaSites, readTenantQuotas, tenantsWithQuotaMails } from './quotas.ts'
export {
  publishSigningKeys,
  readSigningKeys,
  rotateSigningKey,
  type ShownSigningKeys,
} from './signing-keys.ts'
export { readSiteUsers, type SiteUsers } from './site-users.ts'
export { installedSites } from './sites-table.ts'
export { startStatsWriting, writePendingStats } from './stats/pending-stats.ts'
export { reconcileSites, runSoon } from './stats/reconcile.ts'
export { syncJobRun, tenantIdOfSite } from './stats/sync-job-run.ts'
export { changeSite, refreshStats, syncStats } from './stats/sync-stats.ts'
export {
  createTenant,
  knownTenantOfHost,
  type NewTenant,
  type ReadableTenant,
  readReadableTenant,
  readTenant,
  readTenantWithStats,
  type Tenant,
  type TenantWithStats,
  tenantOfHost,
} from './tenants.ts'
export { countTenants, knownTenantIds } from './tenants-table.ts'
export {
  listUsage,
  readSiteUsage,
  readTenantUsage,
  readUserUsage,
  sumOfTenants,
  type TenantUsage,
} from './usage.ts'
export { type AskedPage, type UsagePosition, usagePagesOf } from './usage-pages.ts'
export { changePlanValue, changeTenantValue, type ValueChange, withChange } from './values/change-value.ts'
export {
  type EffectiveValue,
  type EffectiveValues,
  effectiveValues,
  type Level,
  mergedValues,
} from './values/effective.ts'
export {
  type Fields,
  fieldFaults,
  type LooseValues,
  maxValueBytes,
  maxValues,
  parseEnforced,
  tenantIdForm,
  type Values,
} from './values/field-rules.ts'
export {
  isSecretLevel,
  type LeveledValue,
  readValues,
  type TenantValues,
} from './values/leveled-values.ts'
export {
  createPlan,
  deletePlan,
  editPlan,
  type ListedPlan,
  listPlans,
  listReadablePlans,
  type Plan,
  type PlanValues,
  readPlan,
  readReadablePlan,
} from './values/plans.ts'
export { countTenantsOfPlans, knownPlanIds } from './values/plans-table.ts'
export { type Preview, previewPlan, previewTenant } from './values/preview.ts'
export { type PlanValuePreview, previewPlanValue, type TenantOver } from './values/preview-plan-value.ts'
export { revealEnv } from './values/reveal-env.ts'
export { resealEnv, retireOldKeys, rotateKeys } from './values/rotate-env.ts'
