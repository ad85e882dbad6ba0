import type { Control } from '../control/index.ts'
import type { UsedSite } from '../site/index.ts'
import { valuesOfTenant } from './effective.ts'
import { notInstalled } from './errors.ts'
import type { Tenant } from './tenants.ts'

/** Opens a tenant's world, until the caller lets go of it. */
export async function openSite(control: Control, tenant: Tenant): Promise<UsedSite> {
  if (!tenant.isInstalled) throw notInstalled()
  const values = await valuesOfTenant(control, tenant)
  return control.sites.open({ number: tenant.site, hostname: tenant.hostname, values })
}
