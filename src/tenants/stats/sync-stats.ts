import { setTimeout as sleep } from 'node:timers/promises'
import { adminAddressKeys } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import type { SiteDay, SiteDb } from '../../db/index.ts'
import { coalesce } from '../../lib/concurrency/coalesce.ts'
import { withTimeout } from '../../lib/concurrency/promises.ts'
import { Refusal } from '../../lib/refusal.ts'
import { nextRunAt } from '../../media/index.ts'
import { readSiteState } from '../../scheduling/index.ts'
import {
  type ChangingSite,
  changingSite,
  countQuotaRefusal,
  dayAfter,
  dayOf,
  dayTotalsSince,
  findStatsVersion,
  hasQuotas,
  isQuotaName,
  judgeRefusedQuota,
  type QuotaState,
  quotaStatesOf,
  raiseStatsVersionTo,
  recountTotals,
  type Site,
} from '../../site/index.ts'
import { siteSilent } from '../errors.ts'
import { openSite } from '../open-site.ts'
import { publishSigningKeys } from '../signing-keys.ts'
import { findWrittenStatsVersion } from '../sites-table.ts'
import { readTenant } from '../tenants.ts'
import { publishQuotas } from './publish-quotas.ts'

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
  } catch (error) {
    countQuotaRefusal(control.counters, error)
    await recordQuotaRefusal(changing, error)
    throw error
  } finally {
    if (isSyncDue) await syncOrDefer(control, site)
  }
}

/** A quota is reached with the first request that is refused for it, even if less than its value is used. */
async function recordQuotaRefusal(site: ChangingSite, error: unknown): Promise<void> {
  const name = error instanceof Refusal && error.code === 'quota-reached' ? error.params.name : undefined
  if (!isQuotaName(name) || site.quotas?.some((quota) => quota.name === name && quota.reachedAt !== null))
    return
  // The caller gets the refusal, whether or not it can be recorded.
  await judgeRefusedQuota(site, name).catch(() => undefined)
}

/** A PostgreSQL server that is restarted is back within this time. */
const restartPatienceMs = 5_000
const pauseMs = 100

/**
 * The change is committed whether or not the control database can be reached: a sync that fails for too long is left to
 * `startStatsWriting`, which repeats it in the background and logs each failure.
 */
async function syncOrDefer(control: Control, site: Site): Promise<void> {
  for (const until = performance.now() + restartPatienceMs; ; await sleep(pauseMs)) {
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

interface SyncedSite {
  control: Control
  site: Site
}

const syncsOfSites = new WeakMap<SiteDb, (synced: SyncedSite) => Promise<void>>()

/**
 * Copies a site's totals and due time to its control row. The site is read first, without holding a lock; the stats
 * version, which every change of the site raises, keeps an older read from overwriting a newer one. Concurrent calls for
 * one site share a run.
 */
export function syncStats(control: Control, site: Site): Promise<void> {
  let sync = syncsOfSites.get(site.db)
  if (!sync) {
    sync = coalesce(syncOnce)
    syncsOfSites.set(site.db, sync)
  }
  return sync({ control, site })
}

/** One to find that the site's version is behind, one to write with the raised version, one to spare. */
const maxTries = 3

async function syncOnce({ control, site }: SyncedSite): Promise<void> {
  const firstDay = takeDueDay(site)
  try {
    for (let tried = 1; tried <= maxTries; tried += 1) {
      const state = await readState(site, firstDay)
      const { stats, admins, version, dueAt, days } = state
      const row = { site: site.number, stats, admins, version, dueAt: dueAt?.toISOString() ?? null, days }
      if (await control.store.writeSiteStats(row)) return await publishState(control, site, state)
      // Newer stats are stored, and they include this change.
      if (!(await catchUpVersion(control, site))) return
    }
  } catch (error) {
    copyDaysFrom(site, firstDay)
    throw error
  }
}

/** What requests find in the control row without a query. */
export async function publishState(
  control: Control,
  site: Site,
  state: Pick<ReadState, 'version' | 'quotaStates' | 'hasUnpublishedKeys'>,
): Promise<void> {
  await publishQuotas(control, site, state)
  if (state.hasUnpublishedKeys) await publishSigningKeys(control, site)
}

const dueDays = new WeakMap<SiteDb, string>()

/** The next sync copies the counts of this day and of later ones. Without this it copies those of the last days. */
export function copyDaysFrom({ db }: Site, day: string): void {
  dueDays.set(db, earlierOf(day, dueDays.get(db) ?? day))
}

function takeDueDay({ db, clock }: Site): string {
  const today = dayOf(clock.now())
  const due = earlierOf(dueDays.get(db) ?? today, today)
  dueDays.delete(db)
  return due
}

const earlierOf = (one: string, other: string) => (one < other ? one : other)

/**
 * If a site was restored from an older copy, its version is behind the stored one and every sync would be ignored: its
 * version is raised to the stored one. False if it is not behind.
 */
export async function catchUpVersion(control: Control, site: Site): Promise<boolean> {
  const stored = await findWrittenStatsVersion(control.store.control, site.number)
  if (stored === undefined || (await findStatsVersion(site.db)) >= stored) return false
  await raiseStatsVersionTo(site.db, stored)
  return true
}

/** A remote database may not answer, and the caller of the change is waiting. */
const patienceMs = 3_000

interface ReadState {
  stats: string
  /** As the control row has them. */
  admins: string
  version: number
  dueAt: Date | undefined
  days: SiteDay[]
  /** Undefined for a site without quotas. */
  quotaStates: readonly QuotaState[] | undefined
  hasUnpublishedKeys: boolean
}

/** Clocks of servers differ, and what was counted before midnight is written after it. */
const daysBefore = 2

/**
 * A site's totals and due time, read in one statement, and then its days and administrators: they may be newer than the version says, and never
 * older.
 */
export async function readState(site: Site, firstDay: string): Promise<ReadState> {
  const state = await withTimeout(patienceMs, readSiteState(site.db), siteSilent)
  const { totals, version, dueTimes, hasUnpublishedKeys } = state
  const dueAt = nextRunAt(dueTimes, site.values, site.clock.now())
  const from = firstDay === '' ? '' : dayAfter(firstDay, -daysBefore)
  const counts = await withTimeout(patienceMs, dayTotalsSince(site.db, from), siteSilent)
  const admins = await withTimeout(patienceMs, adminAddressKeys(site.db), siteSilent)
  const days = [...counts].map(([day, ofDay]) => ({ day, counts: JSON.stringify(ofDay) }))
  const quotaStates = hasQuotas(site)
    ? await withTimeout(patienceMs, quotaStatesOf(site.db), siteSilent)
    : undefined
  const stats = JSON.stringify(totals)
  return { stats, admins: admins.join('\n'), version, dueAt, days, quotaStates, hasUnpublishedKeys }
}
