import { type Control, deleteMeta, upsertMeta } from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { type TakenLease, updateJob } from '../../scheduling/index.ts'
import { dayOf, type Site, usageRowsKeptFrom } from '../../site/index.ts'
import { updateSiteDays, updateSiteStats } from '../sites-table.ts'
import { findLastJobAt, findTenantIdOfSite, updateLastJobAt } from '../tenants-table.ts'
import { catchUpVersion, publishState, readState } from './sync-stats.ts'

/** The tenant of a site; undefined if it was deleted. */
export const tenantIdOfSite = (control: Control, site: number): Promise<string | undefined> =>
  findTenantIdOfSite(control.store.control, site)

export interface JobRunReport {
  lease: TakenLease
  now: Date
  /** The number of damaged files, if this run has verified any. */
  damaged: number | undefined
  changeFor: (dueAt: Date | undefined) => Parameters<typeof updateJob>[2]
}

const maxTries = 5

/**
 * Writes a site's stats and next due time and releases the lease, in one transaction of control rows. The site is read
 * before, without holding a lock: if newer stats are stored meanwhile, it is read again, because a due time that has
 * become earlier must not be postponed.
 */
export async function syncJobRun(
  control: Control,
  site: Site,
  { lease, now, damaged, changeFor }: JobRunReport,
): Promise<void> {
  // A process that was killed may have left days since then without a copy.
  const lastJobAt = await findLastJobAt(control.store.control, site.number)
  const firstDay = lastJobAt ? dayOf(lastJobAt < now ? lastJobAt : now) : ''
  for (let tried = 1; ; tried += 1) {
    const state = await readState(site, firstDay)
    const isLast = tried === maxTries
    const isWritten = await control.store.changeControlUnlocked(async (db) => {
      // Locks rows in the order of a tenant's removal: tenant, site, job.
      await updateLastJobAt(db, lease, now)
      const isNewest = await updateSiteStats(db, site.number, state)
      if (!isNewest && !isLast) return false
      if (isNewest) await updateSiteDays(db, site.number, state.days, usageRowsKeptFrom(site.values, now))
      if (damaged !== undefined) await writeDamage(db, site.number, damaged)
      // If other processes sync all the time, the site is due again at once.
      await updateJob(db, lease, changeFor(isNewest ? state.dueAt : now))
      return true
    })
    if (isWritten) return await publishState(control, site, state)
    await catchUpVersion(control, site)
  }
}

async function writeDamage(db: ControlDb, site: number, damaged: number): Promise<void> {
  if (damaged === 0) await deleteMeta(db, `damaged ${site}`)
  else await upsertMeta(db, `damaged ${site}`, String(damaged))
}
