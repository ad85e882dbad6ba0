import type { Control } from '../../control/index.ts'
import { withTimeout } from '../../lib/concurrency/promises.ts'
import { inParallel, startRepeating } from '../../lib/concurrency/repeat.ts'
import { countViews } from '../../media/index.ts'
import { changingSite, type Site } from '../../site/index.ts'
import { siteSilent } from '../errors.ts'
import { openSite } from '../open-site.ts'
import { readTenant } from '../tenants.ts'
import { findTenantIdOfSite } from '../tenants-table.ts'
import { syncStats } from './sync-stats.ts'

/** Views are promised to be in the stats after 5 seconds: this interval, and the time of the write. */
const writeEveryMs = 2_000
const maxParallelSites = 8
/** A site whose database does not answer in time is skipped, and retried in the next round. */
const patienceMs = 5_000

/** The whole shutdown of a process may take 30 seconds. */
const shutdownMs = 10_000

type OnFault = (fault: unknown, site?: number) => void

/** Writes pending views and syncs pending stats every few seconds, and once more on disposal. */
export function startStatsWriting(control: Control, onFault: OnFault): AsyncDisposable {
  const repeating = startRepeating(writeEveryMs, () => writePendingStats(control, onFault))
  return {
    async [Symbol.asyncDispose]() {
      await withTimeout(shutdownMs, repeating.stop(), siteSilent).catch(onFault)
      await control.store.changeRecords.clear(control.pendingStats.dueSites()).catch(onFault)
    },
  }
}

/** Writes the views that this process has counted in memory, and syncs the stats of their sites. */
export async function writePendingStats(control: Control, onFault: OnFault = () => undefined): Promise<void> {
  const lost = control.pendingStats.takeLost()
  if (lost > 0)
    onFault(new Error(`${lost} views were dropped: too many files have views that are not written yet.`))
  await inParallel(maxParallelSites, control.pendingStats.dueSites(), (site) =>
    withTimeout(patienceMs, writePendingStatsOf(control, site), siteSilent).catch((fault) =>
      onFault(fault, site),
    ),
  )
}

/** Writes the pending views of one site and syncs its stats. */
export async function writePendingStatsOf(control: Control, number: number): Promise<void> {
  const id = await findTenantIdOfSite(control.store.control, number)
  if (id === undefined) return control.pendingStats.forget(number)
  await using site = await openSite(control, await readTenant(control, id))
  await writeSiteStats(control, site)
}

async function writeSiteStats(control: Control, site: Site): Promise<void> {
  const { pendingStats } = control
  const views = pendingStats.begin(site.number)
  if (!views) return
  let isWritten = false
  try {
    await control.store.changeRecords.record(site.number)
    await countViews(changingSite(site), views)
    isWritten = true
    await syncStats(control, site)
  } catch (error) {
    pendingStats.markUnsynced(site.number)
    throw error
  } finally {
    pendingStats.end(site.number, isWritten)
  }
}
