import { existingUsers } from '../../accounts/index.ts'
import type { Control, PendingDay } from '../../control/index.ts'
import { inTransaction } from '../../db/index.ts'
import { withTimeout } from '../../lib/concurrency/promises.ts'
import { inParallel, startRepeating } from '../../lib/concurrency/repeat.ts'
import type { Processes } from '../../lib/processes/processes.ts'
import { countViews, recordUses } from '../../media/index.ts'
import {
  addToDay,
  type ChangingSite,
  changingSite,
  markQuotaUse,
  raiseStatsVersion,
  type Site,
} from '../../site/index.ts'
import { siteSilent } from '../errors.ts'
import { openSite } from '../open-site.ts'
import { readTenant } from '../tenants.ts'
import { findTenantIdOfSite } from '../tenants-table.ts'
import { copyDaysFrom, syncStats } from './sync-stats.ts'

/** Views are promised to be in the stats after 5 seconds: this interval, and the time of the write. */
const writeEveryMs = 2_000
const maxParallelSites = 8
/** A site whose database does not answer in time is skipped, and retried in the next round. */
const patienceMs = 5_000

/** The whole shutdown of a process may take 30 seconds. */
const shutdownMs = 10_000

type OnFault = (fault: unknown, site?: number) => void

/** Writes pending counts and syncs pending stats every few seconds, and once more on disposal. */
export function startStatsWriting(control: Control, processes: Processes, onFault: OnFault): AsyncDisposable {
  shareWriting(control, processes)
  let which: 'all' | 'waiting' = 'waiting'
  const write = () => writePendingStats(control, onFault, which)
  const repeating = startRepeating(writeEveryMs, write)
  control.pendingStats.onMuchTraffic = () => void write()
  return {
    async [Symbol.asyncDispose]() {
      which = 'all'
      await withTimeout(shutdownMs, repeating.stop(), siteSilent).catch(onFault)
      await control.store.changeRecords.clear(control.pendingStats.dueSites()).catch(onFault)
    },
  }
}

/** What the processes of the server have counted of a site is written by each of them, through the first. */
function shareWriting(control: Control, processes: Processes): void {
  const { first } = processes
  processes.answer('write-own-stats', (site: number) => writePendingStatsOf(control, site))
  const writeOthers = async (site: number) => {
    await Promise.allSettled(processes.further.map((peer) => peer.ask('write-own-stats', site)))
  }
  control.pendingStats.writeOthers = first ? (site) => first.ask('write-stats', site) : writeOthers
  processes.answer('write-stats', async (site: number) => {
    await writeOthers(site)
    await writePendingStatsOf(control, site)
  })
}

/** Writes what the whole server has counted of a site. */
export async function writeAllPendingStatsOf(control: Control, site: number): Promise<void> {
  await control.pendingStats.writeOthers(site)
  await writePendingStatsOf(control, site)
}

/** Writes what this process has counted in memory, and syncs the stats of the sites. */
export async function writePendingStats(
  control: Control,
  onFault: OnFault = () => undefined,
  which: 'all' | 'waiting' = 'all',
): Promise<void> {
  const lost = control.pendingStats.takeLost()
  if (lost > 0)
    onFault(new Error(`${lost} views were dropped: too many files have views that are not written yet.`))
  await inParallel(maxParallelSites, control.pendingStats.dueSites(which), (site) =>
    withTimeout(patienceMs, writePendingStatsOf(control, site), siteSilent).catch((fault) =>
      onFault(fault, site),
    ),
  )
}

/** Writes the pending counts of one site and syncs its stats. */
export async function writePendingStatsOf(control: Control, number: number): Promise<void> {
  const id = await findTenantIdOfSite(control.store.control, number)
  if (id === undefined) return control.pendingStats.forget(number)
  await using site = await openSite(control, await readTenant(control, id))
  await writeSiteStats(control, site)
}

async function writeSiteStats(control: Control, site: Site): Promise<void> {
  const { pendingStats } = control
  const days = pendingStats.begin(site.number)
  if (!days) return
  let isWritten = false
  try {
    await control.store.changeRecords.record(site.number)
    await writeDays(changingSite(site), days)
    isWritten = true
    for (const { day } of days) copyDaysFrom(site, day)
    await syncStats(control, site)
  } catch (error) {
    pendingStats.markUnsynced(site.number)
    throw error
  } finally {
    pendingStats.end(site.number, isWritten)
  }
}

const hasTraffic = ({ counts }: PendingDay) =>
  counts.values().some(({ trafficBytes = 0 }) => trafficBytes > 0)

async function writeDays(site: ChangingSite, days: readonly PendingDay[]): Promise<void> {
  await inTransaction(
    site.db,
    async (db) => {
      const inside = { ...site, db }
      await raiseStatsVersion(db)
      if (days.some(hasTraffic)) markQuotaUse(db, 'SERVICE_MAX_TRAFFIC')
      for (const { day, views, counts, used } of days) {
        await countViews(inside, views, day)
        await recordUses(inside, used)
        const known = await existingUsers(db, [...counts.keys()])
        // What is about a user who was deleted since counts for the site.
        for (const [userId, each] of counts)
          await addToDay(inside, each, { userId: known.has(userId) ? userId : undefined, day })
      }
    },
    // If the commit's answer is lost, do not repeat it: counts may be lost, but are never counted twice.
    async () => true,
  )
}
