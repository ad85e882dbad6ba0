import type { Control } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Site, SiteAddress, UsedSite } from '../site/index.ts'
import { knownValuesOfTenant, valuesOfTenant } from './effective.ts'
import { notInstalled, tenantNotFound } from './errors.ts'
import { healMove } from './moving/heal-move.ts'
import { placeOfTenant } from './site-places.ts'
import { knownTenantOfHost, storedTenant, type Tenant } from './tenants.ts'
import { findTenant } from './tenants-table.ts'

/** Opens a tenant's world, until the caller lets go of it. */
export async function openSite(control: Control, tenant: Tenant): Promise<UsedSite> {
  if (!tenant.isInstalled) throw notInstalled()
  const values = await valuesOfTenant(control, tenant.id)
  const open = async (at: Tenant) => {
    const place = placeOfTenant(control, at)
    healMove(control, tenant.site, place)
    return control.sites.open({ number: tenant.site, hostname: tenant.hostname, values, place })
  }
  return whileThere(control, tenant, () => open(tenant).catch(openWhereItIs))

  /** It may have moved since the tenant was read, or been sealed anew. */
  async function openWhereItIs(error: unknown): Promise<UsedSite> {
    if (!(error instanceof Refusal) || error.kind !== 'unavailable') throw error
    const now = await storedTenant(control, control.store.control, tenant.id)
    if (now.sealedPlace === tenant.sealedPlace) throw error
    return open(now)
  }
}

/**
 * The site of a host name for somebody who is done with it before anybody else's turn comes: when its tenant is enabled
 * and it is open already. Otherwise nothing, and `openSite` tells why.
 */
export function siteAtOnce(control: Control, hostname: string): Site | undefined {
  const tenant = knownTenantOfHost(control, hostname)
  if (!tenant?.isEnabled || !tenant.isInstalled) return undefined
  const address = knownAddress(control, tenant)
  return address && control.sites.atOnce(address)
}

const addresses = new WeakMap<Tenant, SiteAddress>()

/** A tenant that is remembered and its values are forgotten together. */
function knownAddress(control: Control, tenant: Tenant): SiteAddress | undefined {
  const known = addresses.get(tenant)
  if (known) return known
  const values = knownValuesOfTenant(control, tenant.id)
  const place = values && placeOfTenant(control, tenant)
  const address = values && { number: tenant.site, hostname: tenant.hostname, values, place }
  if (address) addresses.set(tenant, address)
  return address
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
