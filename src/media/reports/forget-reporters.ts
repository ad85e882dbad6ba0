import { batchSize, type DueTimes, type JobContext } from '../../scheduling/index.ts'
import { auditKeptMs, type Site, type SiteValues } from '../../site/index.ts'
import { forgetAddressesUntil } from './reports-table.ts'

const dayMs = 24 * 60 * 60_000

/** Once a day is enough. */
export function reportersDueAt({ reportedAt }: DueTimes, values: SiteValues): Date | undefined {
  const kept = auditKeptMs(values)
  return reportedAt && kept !== undefined ? new Date(reportedAt.getTime() + kept + dayMs) : undefined
}

/**
 * Deletes the addresses of reporters whose report is older than `SERVICE_AUDIT_DAYS`: the audit log has them for as long.
 * The reports stay.
 */
export async function forgetReporters(site: Site, context: JobContext): Promise<number> {
  const kept = auditKeptMs(site.values)
  if (kept === undefined) return 0
  const until = new Date(site.clock.now().getTime() - kept)
  for (let count = 0; ; ) {
    const forgotten = await context.fencedTransaction((db) => forgetAddressesUntil(db, until, batchSize))
    count += forgotten
    if (forgotten < batchSize || context.isOver) return count
  }
}
