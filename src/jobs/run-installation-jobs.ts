import type { App } from '../app.ts'
import { metaLike, upsertMeta } from '../control/index.ts'
import { countJob, faultText, type TakenLease, updateJob } from '../scheduling/index.ts'
import type { JobRun } from './run-site-jobs.ts'
import { type Job, schedule } from './schedule.ts'

/** The site number under which the installation's own jobs are leased. */
export const installationSite = 0

const retryMs = 60_000

interface RunOptions {
  signal: AbortSignal
  warn: (message: string, details: object) => void
}

/** Runs the due jobs of the whole installation. Each of them may run twice. */
export async function runInstallationJobs(
  app: App,
  lease: TakenLease,
  { signal, warn }: RunOptions,
): Promise<JobRun> {
  const { store, clock } = app.control
  const beganAt = performance.now()
  const done: Record<string, number> = {}
  const nextTimes: number[] = []
  let fault: unknown
  const ranAt = await metaLike(store.control, 'job ')
  for (const job of schedule.installation) {
    const now = clock.now()
    const last = ranAt.get(`job ${job.name}`) ?? ''
    // A last run in the future means that the clock was set back.
    const isValid = last !== '' && last <= now.toISOString()
    const dueMs = isValid ? Date.parse(last) + job.everyMinutes * 60_000 : 0
    if (signal.aborted || dueMs > now.getTime()) {
      nextTimes.push(dueMs)
      continue
    }
    const ran = await runOne(app, job, warn)
    fault ??= ran.fault
    if (ran.fault === undefined) done[job.name] = ran.count
    // An unfinished job keeps its last time, so it is due again at once.
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

export async function runOne(app: App, job: Job, warn: RunOptions['warn']) {
  const beganAt = performance.now()
  const count = (isFailed: boolean) =>
    countJob(app.control.jobCounters, job.name, { isFailed, seconds: (performance.now() - beganAt) / 1_000 })
  try {
    const ran = await job.run(app, warn)
    count(false)
    return { ...ran, fault: undefined }
  } catch (fault) {
    count(true)
    return { count: 0, isDone: true, fault }
  }
}
