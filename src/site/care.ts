import { parseWholeNumber } from '../lib/sizes.ts'
import { deleteJobRun, findJobRun, upsertJobRun } from './job-runs-table.ts'
import { hasFiles, type Landmarks, type RememberedJob } from './landmarks-table.ts'
import type { Shift } from './shift.ts'
import type { Site } from './site.ts'
import { defaultValues, type SiteValues } from './values.ts'

const dayMs = 24 * 60 * 60_000

/** How long one care job works at a time. Then others have their turn, whose files may be due to go. */
export const careSliceMs = 2_000

/** When a slow job is due: a period after it last ended, or after the first file came; never where nothing is stored. */
export function careDueAt(name: RememberedJob, landmarks: Landmarks, values: SiteValues): Date | undefined {
  const days = numberOf(values, 'SERVICE_SCRUB_DAYS')
  const from = landmarks.ranAt.get(name) ?? landmarks.fileAt
  return days === 0 || !from ? undefined : new Date(from.getTime() + days * dayMs)
}

/** The shortest time between two visits of a worker. */
export const visitIntervalMs = (values: SiteValues): number =>
  numberOf(values, 'SERVICE_JOBS_INTERVAL') * 1_000

function numberOf(values: SiteValues, name: 'SERVICE_SCRUB_DAYS' | 'SERVICE_JOBS_INTERVAL'): number {
  return parseWholeNumber(values.get(name) ?? '') ?? Number(defaultValues.get(name))
}

/** A page of a slow job: it answers with the place to go on from, nothing when all is seen. */
export type CarePage = (after: string | undefined) => Promise<string | undefined>

/** Goes on page by page where the last slice stopped, as far as its time allows. */
export async function carryOn(
  site: Site,
  shift: Shift,
  { name, page }: { name: RememberedJob; page: CarePage },
): Promise<void> {
  const before = await findJobRun(site.db, name)
  const endsAt = performance.now() + careSliceMs
  let cursor = before?.cursor
  do {
    cursor = await page(cursor)
  } while (cursor !== undefined && performance.now() < endsAt && !shift.isOver)

  const ranAt = site.clock.now()
  await shift.change(async (db) => {
    // As long as it is under way it stays due, whatever the time of its last end was.
    if (cursor !== undefined) await upsertJobRun(db, name, { ranAt: before?.ranAt ?? new Date(0), cursor })
    else if (await hasFiles(db)) await upsertJobRun(db, name, { ranAt, cursor: undefined })
    // A site where nothing is stored any more has nothing to take care of either.
    else await deleteJobRun(db, name)
  })
}
