import { type Control, deleteMeta, findMeta, upsertDueAt, upsertMeta } from '../control/index.ts'
import { inTransaction } from '../db/index.ts'
import { openSite } from './open-site.ts'
import { toldSitesAfter } from './sites-table.ts'
import { publishTotals, readState } from './stats.ts'
import { readTenant } from './tenants.ts'

const pageSize = 100
const allSeen = 'all'

/** Sites that a killed process may have changed without telling: somebody is to look. */
export async function visitSoon(control: Control, sites: readonly number[]): Promise<void> {
  if (sites.length === 0) return
  await inTransaction(control.store.control, async (db) => {
    for (const site of sites) await upsertDueAt(db, site, control.clock.now())
  })
}

/** Begins another round over all sites. */
export const settleAgain = (control: Control): Promise<void> =>
  deleteMeta(control.store.control, 'settled-up-to')

/**
 * Compares what is told of sites with what they are, a page at a time, and corrects it. Every installation is gone
 * through once; where killed processes leave no other trace, again after each start.
 */
export async function settleSites(
  control: Control,
  onFault: (tenant: string, fault: unknown) => void,
): Promise<{ settled: number; isDone: boolean }> {
  const db = control.store.control
  const seen = (await findMeta(db, 'settled-up-to')) ?? '0'
  if (seen === allSeen) return { settled: 0, isDone: true }
  const page = await toldSitesAfter(db, Number(seen), pageSize)
  let settled = 0
  for (const told of page) {
    // One tenant's trouble must not keep the others waiting; its own jobs tell of it again.
    if (await settle(control, told).catch((fault) => onFault(told.id, fault))) settled += 1
  }
  const isDone = page.length < pageSize
  await upsertMeta(db, 'settled-up-to', isDone ? allSeen : String(page.at(-1)?.number))
  return { settled, isDone }
}

type Told = Awaited<ReturnType<typeof toldSitesAfter>>[number]

/** Whether something was to correct. */
async function settle(control: Control, { id, stats, dueAt, failures }: Told): Promise<boolean> {
  await using site = await openSite(control, await readTenant(control, id))
  const state = await readState(site)
  const isDueRight = Boolean(failures) || (state.dueAt?.toISOString() ?? null) === dueAt
  if (state.stats === stats && isDueRight) return false
  await publishTotals(control, site)
  return true
}
