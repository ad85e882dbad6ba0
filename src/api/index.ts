export { type FileAddresses, workingAddresses } from '../http/addresses/file-addresses.ts'
export { ownUrl, publicUrl } from '../http/addresses/public-url.ts'
export { shareUrlOf } from '../http/addresses/share-url.ts'
export { notify, notifyOfEdit } from '../http/mails/send-mail.ts'
export { type RunningServer, startServer } from '../http/server.ts'
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
