import type { Control } from '../control/index.ts'
import {
  currentQuotas,
  emptyQuotas,
  type Quotas,
  quotasOfText,
  readQuotas,
  suspendedBy,
} from '../site/index.ts'
import { openSite } from './open-site.ts'
import { sitesWithQuotas } from './sites-table.ts'
import { readTenant } from './tenants.ts'
import { mergedValues } from './values/effective.ts'

/** The quotas of a tenant, from the rows of its site. */
export async function readTenantQuotas(control: Control, id: string): Promise<Quotas> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) return emptyQuotas(await mergedValues(control, tenant))
  await using site = await openSite(control, tenant)
  return await readQuotas(site)
}

/** Tenants whose administrators are to be notified of a threshold. */
export async function tenantsWithQuotaMails(control: Control): Promise<string[]> {
  const found = await sitesWithQuotas(control.store.control)
  return found
    .filter(({ quotas }) => quotasOfText(quotas)?.some(({ mails }) => mails !== ''))
    .map(({ id }) => id)
}

/** How many sites have a quota in each state, each site in its worst. */
export async function countQuotaSites(
  control: Control,
): Promise<Record<'alert' | 'reached' | 'suspended', number>> {
  const counts = { alert: 0, reached: 0, suspended: 0 }
  for (const { id, quotas } of await sitesWithQuotas(control.store.control)) {
    const values = await mergedValues(control, await readTenant(control, id))
    const site = { quotas: quotasOfText(quotas), values, clock: control.clock }
    const current = currentQuotas(site)
    if (suspendedBy(site) !== undefined) counts.suspended += 1
    else if (current.some(({ reachedAt }) => reachedAt !== null)) counts.reached += 1
    else if (current.some(({ percent }) => percent > 0)) counts.alert += 1
  }
  return counts
}
