export { writePreview, writeTenantPreview } from './tenants-v4/preview.ts'
export {
  type NewTenantFields,
  type PlanFields,
  readNewTenant,
  readPlanValues,
  readTenantEdit,
  type TenantFields,
  writeEffective,
  writeKey,
  writePlan,
  writeTenant,
} from './tenants-v4/wire.ts'
