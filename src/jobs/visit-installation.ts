import type { App } from '../app.ts'
import { countJob, metaLike, type TakenLease, updateJob, upsertMeta } from '../control/index.ts'
import { faultText, type Visit } from '../tenants/index.ts'
import { type Job, timetable } from './timetable.ts'

/** The installation's own place in the list of sites. */
export const installationSite = 0

const retryMs = 60_000

interface VisitOptions {
  signal: AbortSignal
  tell: (words: string, details: object) => void
}

/** Does what is due for the installation as a whole. Each of these may run twice. */
export async function visitInstallation(
  app: App,
  lease: TakenLease,
  { signal, tell }: VisitOptions,
): Promise<Visit> {
  const { store, clock } = app.control
  const beganAt = performance.now()
  const done: Record<string, number> = {}
  const nextTimes: number[] = []
  let fault: unknown
  const ranAt = await metaLike(store.control, 'job ')
  for (const job of timetable.installation) {
    const now = clock.now()
    const last = ranAt.get(`job ${job.name}`) ?? ''
    // One that ran later than now ran before the clock was set back.
    const isKnown = last !== '' && last <= now.toISOString()
    const dueMs = isKnown ? Date.parse(last) + job.everyMinutes * 60_000 : 0
    if (signal.aborted || dueMs > now.getTime()) {
      nextTimes.push(dueMs)
      continue
    }
    const ran = await runOne(app, job, tell)
    fault ??= ran.fault
    if (ran.fault === undefined) done[job.name] = ran.count
    // One that is not done keeps its time, and is due again at once.
    if (ran.isDone) await upsertMeta(store.control, `job ${job.name}`, now.toISOString())
    const waitMs = ran.fault === undefined ? job.everyMinutes * 60_000 : retryMs
    nextTimes.push(now.getTime() + (ran.isDone ? waitMs : 0))
  }
  const change = { dueAt: new Date(Math.min(...nextTimes)).toISOString(), leasedUntil: null }
  const failed = fault === undefined ? { failures: 0, fault: null } : { failures: 1, fault: faultText(fault) }
  const isOurs = await updateJob(store.control, lease, { ...change, ...failed })
  const outcome = isOurs ? (fault === undefined ? 'done' : 'failed') : 'lost'
  const seconds = (performance.now() - beganAt) / 1_000
  return { site: lease.site, tenant: undefined, outcome, done, seconds, fault }
}

export async function runOne(app: App, job: Job, tell: VisitOptions['tell']) {
  const beganAt = performance.now()
  const tally = (isFailed: boolean) =>
    countJob(app.control.jobTally, job.name, { isFailed, seconds: (performance.now() - beganAt) / 1_000 })
  try {
    const ran = await job.run(app, tell)
    tally(false)
    return { ...ran, fault: undefined }
  } catch (fault) {
    tally(true)
    return { count: 0, isDone: true, fault }
  }
}
