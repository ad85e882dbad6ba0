import { batchSize, type DueTimes, type JobContext } from '../../scheduling/index.ts'
import { auditAfter, auditKeptMs, pruneUpTo, type Site, type SiteValues } from '../../site/index.ts'

const dayMs = 24 * 60 * 60_000

/** Once a day is enough. */
export function auditDueAt({ auditAt }: DueTimes, values: SiteValues): Date | undefined {
  const kept = auditKeptMs(values)
  return auditAt && kept !== undefined ? new Date(auditAt.getTime() + kept + dayMs) : undefined
}

/** Deletes rows of the audit log that are older than `SERVICE_AUDIT_DAYS`, the oldest first: the rest stays one chain. */
export async function pruneAudit(site: Site, context: JobContext): Promise<number> {
  const kept = auditKeptMs(site.values)
  if (kept === undefined) return 0
  const until = new Date(site.clock.now().getTime() - kept).toISOString()
  for (let count = 0; ; ) {
    const deleted = await context.fencedTransaction(async (db) => {
      const oldest = await auditAfter(db, 0, batchSize)
      const firstKept = oldest.findIndex(({ at }) => at > until)
      const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept)
      const last = old.at(-1)
      if (last) await pruneUpTo({ ...site, db }, last)
      return old.length
    })
    count += deleted
    if (deleted < batchSize || context.isOver) return count
  }
}
