import type { Control } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { damagedFiles, siteJobs } from '../media/index.ts'
import {
  countJob,
  faultText,
  findFence,
  holdLease,
  type JobContext,
  leaseLost,
  openJobContext,
  raiseToken,
  readDueTimes,
  type TakenLease,
  updateJob,
  upsertJobProgress,
} from '../scheduling/index.ts'
import { addToTotal, authoredBy, type Site } from '../site/index.ts'
import { openSite, readTenant, syncJobRun, tenantIdOfSite } from '../tenants/index.ts'

/** The outcome of a job run on a site. */
export interface JobRun {
  site: number
  tenant: string | undefined
  outcome: 'done' | 'unfinished' | 'failed' | 'lost'
  /** The number of things that each job has done. */
  done: Readonly<Record<string, number>>
  seconds: number
  fault?: unknown
}

interface RunOptions {
  /** Aborted when the process is to stop. */
  signal: AbortSignal
  sliceMs: number
  warn: JobContext['warn']
  openFolder: JobContext['openFolder']
}

/** Runs the due jobs of a site under its lease. A fault is returned, and stored with the site's schedule. */
export async function runSiteJobs(control: Control, lease: TakenLease, options: RunOptions): Promise<JobRun> {
  const beganAt = performance.now()
  const { site } = lease
  const runOf = () => ({ site, seconds: (performance.now() - beganAt) / 1_000 })
  let tenant: string | undefined
  try {
    tenant = await tenantIdOfSite(control, site)
    if (tenant === undefined) {
      await updateJob(control.store.control, lease, { dueAt: null, leasedUntil: null })
      return { ...runOf(), tenant, outcome: 'done', done: {} }
    }
    const result = await runUnderLease(control, { tenant, lease, options, beganAt })
    return { ...runOf(), tenant, ...result }
  } catch (fault) {
    if (isLost(fault)) return { ...runOf(), tenant, outcome: 'lost', done: {} }
    await backOff(control, lease, fault)
    return { ...runOf(), tenant, outcome: 'failed', done: {}, fault }
  }
}

interface LeasedRun {
  tenant: string
  lease: TakenLease
  options: RunOptions
  beganAt: number
}

async function runUnderLease(control: Control, { tenant, lease, options, beganAt }: LeasedRun) {
  using held = holdLease(control, lease, options.signal)
  await using opened = await openSite(control, await readTenant(control, tenant))
  const site = authoredBy(opened, { kind: 'job' })
  const context = openJobContext(site, {
    lease,
    ...options,
    signal: held.signal,
    renewIfNeeded: () => held.renewIfNeeded(),
  })
  try {
    const { done, fault } = await runJobs(control, site, context)
    const isOver = context.isOver
    const now = control.clock.now()
    await context.fencedTransaction(async (db) => {
      await addToTotal(db, 'cronTime', Math.ceil((performance.now() - beganAt) / 1_000))
      await upsertJobProgress(db, 'visit', { ranAt: now, cursor: undefined })
    })
    const damaged = done['scrub-files'] === undefined ? undefined : await damagedFiles(site)
    await syncJobRun(control, site, {
      lease,
      now,
      damaged: damaged?.length,
      changeFor: (dueAt) =>
        fault === undefined ? doneChange(isOver ? now : dueAt) : failedChange(lease, fault, now),
    })
    const outcome = fault === undefined ? (isOver ? 'unfinished' : 'done') : 'failed'
    return { done, outcome, ...(fault === undefined ? {} : { fault }) } as const
  } catch (error) {
    if (isLost(error)) await catchUpToken(control, site)
    throw error
  }
}

/** A failing job does not stop the others; the first fault is returned after all have run. */
async function runJobs(control: Control, site: Site, context: JobContext) {
  const done: Record<string, number> = {}
  let fault: unknown
  let dueTimes = await readDueTimes(site.db)
  for (const job of siteJobs) {
    if (context.isOver) break
    const dueAt = job.dueAt(dueTimes, site.values)
    if (!dueAt || dueAt > site.clock.now()) continue
    const beganAt = performance.now()
    let isFailed = false
    try {
      done[job.name] = await job.run(site, context)
    } catch (error) {
      if (isLost(error)) throw error
      // A job that is stopped by its signal has not failed.
      if (!context.signal.aborted) fault ??= error
      isFailed = !context.signal.aborted
    }
    countJob(control.jobCounters, job.name, { isFailed, seconds: (performance.now() - beganAt) / 1_000 })
    // The job may have made work for a later one.
    dueTimes = await readDueTimes(site.db)
  }
  return { done, fault }
}

const isLost = (error: unknown) => error instanceof Refusal && error.code === leaseLost().code

/** If the site's fence is ahead of the lease tokens, after a restore, every later lease would be refused. */
async function catchUpToken(control: Control, site: Site): Promise<void> {
  await raiseToken(control.store.control, site.number, await findFence(site.db))
}

const doneChange = (dueAt: Date | undefined) => ({
  dueAt: dueAt?.toISOString() ?? null,
  leasedUntil: null,
  failures: 0,
  fault: null,
})

const firstBackOffMs = 30_000
const maxBackOffMs = 3_600_000

function failedChange({ failures }: TakenLease, fault: unknown, now: Date) {
  const waitMs = Math.min(maxBackOffMs, firstBackOffMs * 2 ** Math.min(failures, 20))
  const dueAt = new Date(now.getTime() + waitMs).toISOString()
  return { dueAt, leasedUntil: null, failures: failures + 1, fault: faultText(fault) }
}

/** If this cannot be written either, the lease expires. */
async function backOff(control: Control, lease: TakenLease, fault: unknown): Promise<void> {
  const change = failedChange(lease, fault, control.clock.now())
  await updateJob(control.store.control, lease, change).catch(() => undefined)
}
