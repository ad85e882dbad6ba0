import { type JobContext, runPaged } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { deleteAllRateLimitHitsBefore } from '../upload/rate-limit-table.ts'

const keptMs = 31 * 24 * 60 * 60_000

/** Deletes rate-limit hits that are older than every window. Uploads delete those of their own address. */
export async function pruneRateLimitLog(site: Site, context: JobContext): Promise<number> {
  let count = 0
  const before = new Date(site.clock.now().getTime() - keptMs)
  await runPaged(site, context, {
    name: 'prune-rate-limit-log',
    async page() {
      count = await context.fencedTransaction((db) => deleteAllRateLimitHitsBefore(db, before))
      return undefined
    },
  })
  return count
}
