export { type Demo, makeDemo } from './demo.ts'
export { type EffectiveValue, type EffectiveValues, effectiveValues, type Level } from './effective.ts'
export { type Fields, fieldFaults, type LooseValues, type Values, valuesFaults } from './field-rules.ts'
export { type Installation, installTenant, resetUserPassword } from './install.ts'
export { migrateSite } from './migrate-site.ts'
export { finishMoves } from './moving/end-move.ts'
export { type Moved, type MoveStep, moveTenant } from './moving/move-tenant.ts'
export { openSite, siteAtOnce } from './open-site.ts'
export { createPlan, deletePlan, editPlan, listPlans, type Plan, type PlanValues, readPlan } from './plans.ts'
export { deleteTenant, finishDrops } from './removal.ts'
export { resealEnv, retireOldKeys, rotateKeys } from './rotate-env.ts'
export { mayHaveCertificate, type RoutingOptions, routingDocument } from './routing.ts'
export { settleAgain, settleSites, visitSoon } from './settle.ts'
export { siteJobs } from './site-jobs.ts'
export { misplacedParts, type PlaceRecord, readPlace } from './site-places.ts'
export { installedSites } from './sites-table.ts'
export { publishTotals, refreshStats } from './stats.ts'
export {
  createTenant,
  editTenant,
  listTenants,
  type NewTenant,
  readTenant,
  readToldTenant,
  type Tenant,
  type TenantEdit,
  type ToldTenant,
  tenantOfHost,
} from './tenants.ts'
export { countTenants } from './tenants-table.ts'
export { faultText, type Visit, visitSite } from './visit-site.ts'
