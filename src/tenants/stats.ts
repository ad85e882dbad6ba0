import type { Control } from '../control/index.ts'
import { recountTotals } from '../site/index.ts'
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
