export { shareUrlOf } from './media-v5/shares/share-url.ts'
export { notify, notifyOfEdit } from './pages/account/send-mail.ts'
export { ownUrl, publicUrl } from './requests/public-url.ts'
export { type FileAddresses, workingAddresses } from './responses/file-addresses.ts'
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
