import type { ConsoleRoute } from '../console-call.ts'
import { downloadTenants } from './tenants-csv.ts'
import { showTenants } from './tenants-page.ts'

export const tenantPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'tenants', handle: showTenants },
  { method: 'GET', path: 'tenants.csv', handle: downloadTenants },
]
