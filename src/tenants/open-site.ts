import type { Control } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Site, SiteAddress, UsedSite } from '../site/index.ts'
import { notInstalled, tenantNotFound } from './errors.ts'
import { locationOfTenant } from './locations/site-locations.ts'
import { knownTenantOfHost, readTenant, storedTenant, type Tenant } from './tenants.ts'
import { findTenant, findTenantIdOfSite } from './tenants-table.ts'
import { knownValuesOfTenant, valuesOfTenant } from './values/effective.ts'

/** Opens a tenant's site until the caller disposes of it. `isConfirmed`: the tenant was read from the cache just now. */
export async function openSite(
  control: Control,
  tenant: Tenant,
  options?: { isConfirmed: boolean },
): Promise<UsedSite> {
  if (!tenant.isInstalled) throw notInstalled()
  const values = await valuesOfTenant(control, tenant.id, options)
  const open = async (at: Tenant) => {
    const location = locationOfTenant(control, at)
    if (location.move) control.onUnfinishedMove(tenant.site, location.move)
    const { id: tenantId, site: number, hostname, quotas } = at
    return control.sites.open({ number, tenantId, hostname, values, quotas, location })
  }
  return orTenantNotFound(control, tenant, () => open(tenant).catch(openWhereItIs))

  /** The site may have moved since the tenant was read, or its location been encrypted with another key. */
  async function openWhereItIs(error: unknown): Promise<UsedSite> {
    if (!(error instanceof Refusal) || error.kind !== 'unavailable') throw error
    const now = await storedTenant(control, control.store.control, tenant.id)
    if (now.sealedLocation === tenant.sealedLocation) throw error
    return open(now)
  }
}

/** For work of this process that nobody waits for: opens the site with this number while it runs. */
export async function useSite<T>(
  control: Control,
  number: number,
  work: (site: Site) => Promise<T>,
): Promise<T> {
  const id = await findTenantIdOfSite(control.store.control, number)
  if (id === undefined) throw tenantNotFound()
  await using site = await openSite(control, await readTenant(control, id))
  return await work(site)
}

/**
 * Synchronous variant: the site of a hostname if its tenant is enabled and the site is open, else undefined. The caller
 * must be done with it before it awaits anything.
 */
export function siteSync(
  control: Control,
  hostname: string,
  options?: { isConfirmed: boolean },
): Site | undefined {
  const tenant = knownTenantOfHost(control, hostname, options)
  if (!tenant?.isEnabled || !tenant.isInstalled) return undefined
  const address = knownAddress(control, tenant, options)
  return address && control.sites.findOpen(address)
}

/** The site as it was known last, while a slow database confirms it: for reads whose result is used only after that. */
export const unconfirmedSite = (control: Control, hostname: string): Site | undefined =>
  control.store.whenCurrent() && siteSync(control, hostname, { isConfirmed: false })

const addresses = new WeakMap<Tenant, SiteAddress>()

/** Cached per tenant object: the cache drops a tenant and its values together. */
function knownAddress(
  control: Control,
  tenant: Tenant,
  options?: { isConfirmed: boolean },
): SiteAddress | undefined {
  const cached = addresses.get(tenant)
  if (cached) return cached
  const values = knownValuesOfTenant(control, tenant.id, options)
  if (!values) return undefined
  const location = locationOfTenant(control, tenant)
  const { id: tenantId, site: number, hostname, quotas } = tenant
  const address = { number, tenantId, hostname, values, quotas, location }
  addresses.set(tenant, address)
  return address
}

/** If the tenant was deleted during the work, its missing tables are reported as a missing tenant. */
export async function orTenantNotFound<T>(
  control: Control,
  tenant: Tenant,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const row = await findTenant(control.store.control, tenant.id)
    throw row?.site === tenant.site ? error : tenantNotFound()
  }
}
