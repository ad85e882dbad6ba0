import type { Site, SiteValues } from '../site/index.ts'
import type { DueTimes } from './due-times-table.ts'
import type { JobContext } from './job-context.ts'

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
