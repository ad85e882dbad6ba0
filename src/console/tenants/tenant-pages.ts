import type { ConsoleRoute } from '../console-call.ts'
import { dropsTables, postDelete, showDelete } from './delete-tenant.ts'
import {
  disableTenant,
  enableTenant,
  postInstall,
  postMany,
  resetPassword,
  saveTenant,
  showTenant,
} from './edit-tenant.ts'
import { postTenant, showNewTenant } from './new-tenant.ts'
import { downloadTenants } from './tenants-csv.ts'
import { showTenants } from './tenants-page.ts'

const ofList = { page: 'tenants' } as const
const ofTenant = { page: 'tenants/{id}' } as const

export const tenantPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'tenants', handle: showTenants },
  { method: 'GET', path: 'tenants.csv', handle: downloadTenants },
  { method: 'GET', path: 'tenants/new', access: 'operator', handle: showNewTenant },
  {
    method: 'POST',
    path: 'tenants',
    page: 'tenants/new',
    keeps: ['id', 'hostname', 'plan_id', 'is_enabled', 'username', 'email'],
    handle: postTenant,
  },
  { method: 'POST', path: 'tenants/bulk', ...ofList, handle: postMany },
  { method: 'GET', path: 'tenants/-/{id}', handle: showTenant },
  { method: 'GET', path: 'tenants/{id}', handle: showTenant },
  {
    method: 'POST',
    path: 'tenants/{id}',
    ...ofTenant,
    keeps: ['hostname', 'plan_id', 'updated_at'],
    handle: saveTenant,
  },
  { method: 'POST', path: 'tenants/{id}/enable', ...ofTenant, handle: enableTenant },
  { method: 'POST', path: 'tenants/{id}/disable', ...ofTenant, handle: disableTenant },
  {
    method: 'POST',
    path: 'tenants/{id}/install',
    ...ofTenant,
    keeps: ['username', 'email'],
    handle: postInstall,
  },
  { method: 'POST', path: 'tenants/{id}/users/{name}/password', ...ofTenant, handle: resetPassword },
  { method: 'GET', path: 'tenants/{id}/delete', access: 'operator', handle: showDelete },
  {
    method: 'POST',
    path: 'tenants/{id}/delete',
    proof: dropsTables,
    page: 'tenants/{id}/delete',
    keeps: ['drop_tables'],
    handle: postDelete,
  },
]
