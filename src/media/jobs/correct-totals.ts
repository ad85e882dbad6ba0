import { type JobContext, runPaged } from '../../scheduling/index.ts'
import { allTotals, changingSite, recountTotals, type Site, totalNames } from '../../site/index.ts'

/** Counts the rows anew. Every change updates the totals in its transaction, so a difference is a defect. */
export async function correctTotals(site: Site, context: JobContext): Promise<number> {
  let wrong: string[] = []
  await runPaged(site, context, {
    name: 'refresh-stats',
    async page() {
      wrong = await context.fencedTransaction(async (db) => {
        const stored = await allTotals(db)
        const counted = await recountTotals(changingSite({ ...site, db }))
        return totalNames
          .filter((name) => stored[name] !== counted[name])
          .map((name) => `${name}: ${stored[name]}, counted ${counted[name]}`)
      })
      return undefined
    },
  })
  if (wrong.length > 0) context.warn('Wrong totals were corrected', { wrong })
  return wrong.length
}
