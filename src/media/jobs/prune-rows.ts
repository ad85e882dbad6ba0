import { batchSize, type DueTimes, type JobContext, runPaged } from '../../scheduling/index.ts'
import {
  auditAfter,
  auditKeptMs,
  deleteDaysBefore,
  pruneUpTo,
  type Site,
  type SiteValues,
  usageRowsKeptFrom,
  usageRowsKeptMs,
} from '../../site/index.ts'
import { forgetAddressesUntil } from '../reports/reports-table.ts'
import { deleteAllRateLimitHitsBefore } from '../upload/rate-limit-table.ts'

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

/** On the day on which the oldest day of usage is no longer kept. */
export function usageDueAt({ usageAt }: DueTimes, values: SiteValues): Date | undefined {
  const kept = usageRowsKeptMs(values)
  return usageAt && kept !== undefined ? new Date(usageAt.getTime() + kept) : undefined
}

/** Deletes the usage of days that are older than `SERVICE_USAGE_DAYS`. */
export async function pruneUsage(site: Site, context: JobContext): Promise<number> {
  const keptFrom = usageRowsKeptFrom(site.values, site.clock.now())
  return keptFrom === '' ? 0 : context.fencedTransaction((db) => deleteDaysBefore(db, keptFrom))
}

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
