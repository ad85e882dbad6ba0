import { inTransaction, type SiteDb } from '../db/index.ts'
import { countRows } from './row-counts-table.ts'
import type { Site } from './site.ts'
import { allTotals, lockTotals, type Totals, updateTotal } from './totals-table.ts'

/** Counts the rows anew and keeps what was counted. */
export function recountTotals(site: Site): Promise<Totals> {
  return inTransaction(site.db, async (db: SiteDb) => {
    // What is committed between counting and writing would else be forgotten.
    await lockTotals(db)
    const kept = await allTotals(db)
    const counted: Totals = { ...kept, ...(await countRows(db)) }
    for (const [name, value] of Object.entries(counted) as [keyof Totals, number][]) {
      if (kept[name] !== value) await updateTotal(db, name, value)
    }
    return counted
  })
}
