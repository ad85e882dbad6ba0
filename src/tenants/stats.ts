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
  await recountTotals(site)
  await publishTotals(control, site)
}

/**
 * Tells the installation what a site's own transactions have counted. They are read under the control lock:
 * of several who tell at once, the last one to write has also read last.
 */
export async function publishTotals(control: Control, site: Site): Promise<void> {
  await control.store.changeControl(async (db) => {
    const totals = await allTotals(site.db)
    await updateStats(db, site.number, JSON.stringify(totals))
  })
}
