import type { Control } from '../control/index.ts'
import type { UsedSite } from '../site/index.ts'
import { valuesOfTenant } from './effective.ts'
import { notInstalled, tenantNotFound } from './errors.ts'
import type { Tenant } from './tenants.ts'
import { findTenant } from './tenants-table.ts'

/** Opens a tenant's world, until the caller lets go of it. */
export async function openSite(control: Control, tenant: Tenant): Promise<UsedSite> {
  if (!tenant.isInstalled) throw notInstalled()
  const values = await valuesOfTenant(control, tenant.id)
  return whileThere(control, tenant, () =>
    control.sites.open({ number: tenant.site, hostname: tenant.hostname, values }),
  )
}

/** Trouble with the tables of a tenant that was deleted meanwhile is no trouble: they are rightly gone. */
export async function whileThere<T>(control: Control, tenant: Tenant, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const row = await findTenant(control.store.control, tenant.id)
    throw row?.site === tenant.site ? error : tenantNotFound()
  }
}
