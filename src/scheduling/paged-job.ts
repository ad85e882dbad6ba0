import { parseWholeNumber } from '../lib/sizes.ts'
import { defaultValues, type Site, type SiteValues } from '../site/index.ts'
import { type DueTimes, hasFiles, type RememberedJob } from './due-times-table.ts'
import type { JobContext } from './job-context.ts'
import { deleteJobProgress, findJobProgress, upsertJobProgress } from './job-runs-table.ts'

/** A background job of a site. It must be safe to run twice and to stop at any point. */
export interface SiteJob {
  readonly name: string
  /** What its count counts, for the log: "files verified". */
  readonly does: string
  /** When the job is due; undefined if it will not be unless the site changes. */
  dueAt(dueTimes: DueTimes, values: SiteValues): Date | undefined
  /** Works until the context is over; returns how many items it processed. */
  run(site: Site, context: JobContext): Promise<number>
}

/** Most items in one transaction, so that requests do not wait long for a job's locks. */
export const batchSize = 100

const dayMs = 24 * 60 * 60_000

/** How long a paged job works at a time; then other jobs run, such as the expiration of files. */
const pagedSliceMs = 2_000

/** When a periodic job is due: one period after its last run, or after the first upload; never on a site without files. */
export function periodicDueAt(name: RememberedJob, dueTimes: DueTimes, values: SiteValues): Date | undefined {
  const days = numberOf(values, 'SERVICE_SCRUB_DAYS')
  const from = dueTimes.ranAt.get(name) ?? dueTimes.fileAt
  return days === 0 || !from ? undefined : new Date(from.getTime() + days * dayMs)
}

/** Bytes that were verified before this time are due again; undefined if the site's files are never verified. */
export function scrubbedSince(values: SiteValues, now: Date): Date | undefined {
  const days = numberOf(values, 'SERVICE_SCRUB_DAYS')
  // Half a day early: otherwise a nightly backup would find them due an hour after it ran, and leave them for one more night.
  return days === 0 ? undefined : new Date(now.getTime() - (days - 0.5) * dayMs)
}

/** The shortest time between two runs of a site's jobs. */
export const runIntervalMs = (values: SiteValues): number => numberOf(values, 'SERVICE_JOBS_INTERVAL') * 1_000

function numberOf(values: SiteValues, name: 'SERVICE_SCRUB_DAYS' | 'SERVICE_JOBS_INTERVAL'): number {
  return parseWholeNumber(values.get(name) ?? '') ?? Number(defaultValues.get(name))
}

/** Processes one page of a job; returns the cursor of the next page, undefined after the last one. */
type JobPage = (after: string | undefined) => Promise<string | undefined>

/** Continues page by page from the stored cursor, until the time slice ends. */
export async function runPaged(
  site: Site,
  context: JobContext,
  { name, page }: { name: RememberedJob; page: JobPage },
): Promise<void> {
  const before = await findJobProgress(site.db, name)
  const endsAt = performance.now() + pagedSliceMs
  let cursor = before?.cursor
  do {
    cursor = await page(cursor)
  } while (cursor !== undefined && performance.now() < endsAt && !context.isOver)

  const ranAt = site.clock.now()
  await context.fencedTransaction(async (db) => {
    // While the job is unfinished its last run stays as it was, so that it stays due.
    if (cursor !== undefined)
      await upsertJobProgress(db, name, { ranAt: before?.ranAt ?? new Date(0), cursor })
    else if (await hasFiles(db)) await upsertJobProgress(db, name, { ranAt, cursor: undefined })
    // A site without files has nothing to verify: forget the run, so that the job is not due.
    else await deleteJobProgress(db, name)
  })
}
