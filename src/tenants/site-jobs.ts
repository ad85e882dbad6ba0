import { pruneSessions } from '../accounts/index.ts'
import { expireFiles, pruneMarks, removeBytes, scrubFiles, sweepOrphans } from '../media/index.ts'
import {
  type Landmarks,
  refreshStats,
  type SiteJob,
  type SiteValues,
  visitIntervalMs,
} from '../site/index.ts'

/** Everything that happens on a site without a request, in this order: what leaves notes comes before what follows them. */
export const siteJobs: readonly SiteJob[] = [
  expireFiles,
  pruneSessions,
  pruneMarks,
  sweepOrphans,
  removeBytes,
  refreshStats,
  scrubFiles,
]

/** When a site is to be visited next; nothing while there is nothing to do. */
export function nextVisitAt(landmarks: Landmarks, values: SiteValues, now: Date): Date | undefined {
  const times = siteJobs.flatMap((job) => job.dueAt(landmarks, values) ?? [])
  if (times.length === 0) return undefined
  const lastVisitAt = landmarks.ranAt.get('visit')
  // A visit cannot have been later than now, unless the clock was set back.
  const soonest = lastVisitAt ? Math.min(lastVisitAt.getTime(), now.getTime()) + visitIntervalMs(values) : 0
  return new Date(Math.max(soonest, Math.min(...times.map((time) => time.getTime()))))
}
