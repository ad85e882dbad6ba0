import { setTimeout as sleep } from 'node:timers/promises'
import type { Control } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type ChangingSite, changingSite, recountTotals, type Site } from '../../site/index.ts'
import { openSite } from '../open-site.ts'
import { readTenant } from '../tenants.ts'
import { syncStats } from './sync-stats.ts'

/**
 * The unit of work on a site: runs a change, then syncs the site's stats and due time with its control row, so that the
 * change counts in whatever the caller reads next. The row functions request the sync (`requestSync`): a change that leaves
 * totals and due times as they are syncs nothing, nor does one that fails before its first commit.
 */
export async function changeSite<T>(
  control: Control,
  site: Site,
  work: (site: ChangingSite) => Promise<T>,
): Promise<T> {
  await control.store.changeRecords.record(site.number)
  let isSyncDue = false
  const changing = changingSite(site, () => {
    isSyncDue = true
  })
  try {
    return await work(changing)
  } finally {
    if (isSyncDue) await syncOrDefer(control, site)
  }
}

/** A PostgreSQL server that is restarted is back within this time. */
const patienceMs = 5_000
const pauseMs = 100

/**
 * The change is committed whether or not the control database can be reached: a sync that fails for too long is left to
 * `startStatsWriting`, which repeats it in the background and logs each failure.
 */
async function syncOrDefer(control: Control, site: Site): Promise<void> {
  for (const until = performance.now() + patienceMs; ; await sleep(pauseMs)) {
    try {
      return await syncStats(control, site)
    } catch (error) {
      const isUnavailable = error instanceof Refusal && error.kind === 'unavailable'
      // Only a server comes back by itself; a disk does not.
      const isWorthRetrying = isUnavailable && control.store.kind === 'postgres'
      if (isWorthRetrying && performance.now() < until) continue
      control.pendingStats.markUnsynced(site.number)
      return
    }
  }
}

/** Counts a tenant's rows anew. A tenant that is not installed has no rows to count. */
export async function refreshStats(control: Control, id: string): Promise<void> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) return
  await using site = await openSite(control, tenant)
  await changeSite(control, site, recountTotals)
}
