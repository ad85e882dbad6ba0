import { inTransaction, requestSync, type SiteDb } from '../db/index.ts'
import type { ChangingSite } from './changing-site.ts'
import { countRows } from './row-counts-table.ts'
import { allTotals, lockTotals, type Totals, updateTotal } from './totals-table.ts'

/** Counts the rows anew and keeps what was counted. */
export function recountTotals(site: ChangingSite): Promise<Totals> {
  return inTransaction(site.db, async (db: SiteDb) => {
    // Locked first: a commit between counting and writing would be lost.
    await lockTotals(db)
    // Also if the totals are right: their copy may be wrong.
    requestSync(db)
    const stored = await allTotals(db)
    const counted: Totals = { ...stored, ...(await countRows(db)) }
    for (const [name, value] of Object.entries(counted) as [keyof Totals, number][]) {
      if (stored[name] !== value) await updateTotal(db, name, value)
    }
    return counted
  })
}
