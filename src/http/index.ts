export { addressesOf, type FileAddresses } from './file-addresses.ts'
export { ownUrl, publicUrl } from './public-url.ts'
export { type RunningServer, startServer } from './server.ts'
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
