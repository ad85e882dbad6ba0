import type { Control } from '../control/index.ts'
import { allTotals, recountTotals, type Site } from '../site/index.ts'
import { openSite } from './open-site.ts'
import { updateStats } from './sites-table.ts'
import { readTenant } from './tenants.ts'

/** Counts a tenant's rows anew. A tenant without tables has nothing to count. */
export async function refreshStats(control: Control, id: string): Promise<void> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) return
  await using site = await openSite(control, tenant)
  const totals = await recountTotals(site)
  await control.store.changeControl((db) => updateStats(db, tenant.site, JSON.stringify(totals)))
}

/** Tells the installation what a site's own transactions have counted. */
export async function publishTotals(control: Control, site: Site): Promise<void> {
  const totals = await allTotals(site.db)
  await control.store.changeControl((db) => updateStats(db, site.number, JSON.stringify(totals)))
}
