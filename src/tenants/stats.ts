import { type Control, upsertDueAt } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import { within } from '../lib/within.ts'
import { allTotals, readLandmarks, recountTotals, type Site } from '../site/index.ts'
import { siteSilent } from './errors.ts'
import { openSite } from './open-site.ts'
import { nextVisitAt } from './site-jobs.ts'
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
 * Tells the installation what a site's own transactions have counted, and when it has something to do. They are read
 * under the control lock: of several who tell at once, the last one to write has also read last.
 */
export async function publishTotals(control: Control, site: Site): Promise<void> {
  await control.store.tellControl(async (db) => {
    const dueAt = await tellState(db, site)
    await upsertDueAt(db, site.number, dueAt)
  })
}

/** Rows that are elsewhere may fall silent, and everybody waits for who holds the control lock. */
const patienceMs = 3_000

/** For the inside of a control change: answers with when the site is to be visited. */
export async function tellState(db: ControlDb, site: Site): Promise<Date | undefined> {
  const { stats, dueAt } = await within(patienceMs, readState(site), siteSilent)
  await updateStats(db, site.number, stats)
  return dueAt
}

/** What the installation should know of a site. */
export async function readState(site: Site): Promise<{ stats: string; dueAt: Date | undefined }> {
  const stats = JSON.stringify(await allTotals(site.db))
  return { stats, dueAt: nextVisitAt(await readLandmarks(site.db), site.values, site.clock.now()) }
}
