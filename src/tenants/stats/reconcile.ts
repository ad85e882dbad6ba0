import { type Control, findMeta, upsertMeta } from '../../control/index.ts'
import { inTransaction } from '../../db/index.ts'
import { upsertDueAt } from '../../scheduling/index.ts'
import { openSite } from '../open-site.ts'
import { siteDaysOf, sitesWithStats, sitesWithStatsAfter } from '../sites-table.ts'
import { readTenant } from '../tenants.ts'
import { copyDaysFrom, readState, syncStats } from './sync-stats.ts'

const pageSize = 100
const allChecked = 'all'

/** Makes sites due now that a killed process may have changed without a sync. */
export async function runSoon(control: Control, sites: readonly number[]): Promise<void> {
  if (sites.length === 0) return
  await inTransaction(control.store.control, async (db) => {
    for (const site of sites) await upsertDueAt(db, site, control.clock.now())
  })
}

type OnFault = (tenant: string, fault: unknown) => void

/**
 * Compares the stored stats and due times with the sites' own rows, and syncs those that differ: once for all sites of an
 * installation, a page at a time, and afterwards for those that a killed process has changed.
 */
export async function reconcileSites(
  control: Control,
  onFault: OnFault,
): Promise<{ reconciled: number; isDone: boolean }> {
  const db = control.store.control
  const checked = (await findMeta(db, 'settled-up-to')) ?? '0'
  if (checked === allChecked) return { reconciled: await reconcileAbandoned(control, onFault), isDone: true }
  const page = await sitesWithStatsAfter(db, Number(checked), pageSize)
  const reconciled = await reconcileAll(control, page, onFault)
  const isDone = page.length < pageSize
  await upsertMeta(db, 'settled-up-to', isDone ? allChecked : String(page.at(-1)?.number))
  return { reconciled, isDone }
}

async function reconcileAbandoned(control: Control, onFault: OnFault): Promise<number> {
  const { changeRecords, control: db } = control.store
  const records = await changeRecords.abandoned()
  let reconciled = 0
  for (let start = 0; start < records.length; start += pageSize) {
    const page = records.slice(start, start + pageSize)
    const sites = await sitesWithStats(
      db,
      page.map(({ site }) => site),
    )
    reconciled += await reconcileAll(control, sites, onFault)
    await changeRecords.deleteAbandoned(page)
  }
  return reconciled
}

/** How many were wrong. */
async function reconcileAll(
  control: Control,
  sites: readonly StoredStats[],
  onFault: OnFault,
): Promise<number> {
  let reconciled = 0
  for (const stored of sites) {
    // One tenant's failure must not delay the others; its own job run syncs it later.
    if (await reconcileSite(control, stored).catch((fault) => onFault(stored.id, fault))) reconciled += 1
  }
  return reconciled
}

type StoredStats = Awaited<ReturnType<typeof sitesWithStatsAfter>>[number]

/** True if the stored stats or due time were wrong. */
async function reconcileSite(
  control: Control,
  { id, stats, admins, dueAt, failures }: StoredStats,
): Promise<boolean> {
  await using site = await openSite(control, await readTenant(control, id))
  // The process may have ended before it passed them on.
  control.sites.purges?.add(site.number)
  const state = await readState(site, '')
  const isDueRight = Boolean(failures) || (state.dueAt?.toISOString() ?? null) === dueAt
  const copied = new Map(
    (await siteDaysOf(control.store.control, site.number)).map(({ day, counts }) => [day, counts]),
  )
  const areDaysRight = state.days.every(({ day, counts }) => copied.get(day) === counts)
  const areTotalsRight = state.stats === stats && state.admins === admins && areDaysRight
  if (areTotalsRight && isDueRight && !state.hasUnpublishedKeys) return false
  copyDaysFrom(site, '')
  await syncStats(control, site)
  return true
}
