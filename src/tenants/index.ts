export { type Demo, makeDemo } from './demo.ts'
export { type EffectiveValue, type EffectiveValues, effectiveValues, type Level } from './effective.ts'
export { type Fields, fieldFaults, type LooseValues, type Values, valuesFaults } from './field-rules.ts'
export { type Installation, installTenant, resetUserPassword } from './install.ts'
export { openSite } from './open-site.ts'
export { createPlan, deletePlan, editPlan, listPlans, type Plan, type PlanValues, readPlan } from './plans.ts'
export { deleteTenant, finishDrops } from './removal.ts'
export { resealEnv, retireOldKeys, rotateKeys } from './rotate-env.ts'
export { mayHaveCertificate, type RoutingOptions, routingDocument } from './routing.ts'
export { installedSites } from './sites-table.ts'
export { publishTotals, refreshStats } from './stats.ts'
export {
  createTenant,
  editTenant,
  listTenants,
  type NewTenant,
  readTenant,
  type Tenant,
  type TenantEdit,
  tenantOfHost,
} from './tenants.ts'
export { countTenants } from './tenants-table.ts'
