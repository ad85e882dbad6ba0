import { careDueAt, carryOn } from './care.ts'
import { recountTotals } from './recount.ts'
import type { SiteJob } from './site-job.ts'
import { allTotals, totalNames } from './totals-table.ts'

/** Counts the rows anew. The totals are kept by every change, so that a difference is somebody's mistake. */
export const refreshStats: SiteJob = {
  name: 'refresh-stats',
  does: 'totals corrected',
  dueAt: (landmarks, values) => careDueAt('refresh-stats', landmarks, values),
  async run(site, shift) {
    let wrong: string[] = []
    await carryOn(site, shift, {
      name: 'refresh-stats',
      async page() {
        wrong = await shift.change(async (db) => {
          const kept = await allTotals(db)
          const counted = await recountTotals({ ...site, db })
          return totalNames
            .filter((name) => kept[name] !== counted[name])
            .map((name) => `${name}: ${kept[name]}, counted ${counted[name]}`)
        })
        return undefined
      },
    })
    if (wrong.length > 0) shift.tell('Totals that were wrong are corrected', { wrong })
    return wrong.length
  },
}
