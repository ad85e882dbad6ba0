import {
  type Control,
  countJob,
  deleteMeta,
  holdLease,
  raiseToken,
  type TakenLease,
  updateJob,
  upsertMeta,
} from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { damagedFiles } from '../media/index.ts'
import {
  addToTotal,
  findFence,
  leaseLost,
  openShift,
  readLandmarks,
  type Shift,
  type Site,
  upsertJobRun,
} from '../site/index.ts'
import { openSite } from './open-site.ts'
import { siteJobs } from './site-jobs.ts'
import { tellState } from './stats.ts'
import { readTenant } from './tenants.ts'
import { findTenantIdOfSite, updateLastJobAt } from './tenants-table.ts'

/** What came of a worker's visit. */
export interface Visit {
  site: number
  tenant: string | undefined
  outcome: 'done' | 'unfinished' | 'failed' | 'lost'
  /** How many things each job did. */
  done: Readonly<Record<string, number>>
  seconds: number
  fault?: unknown
}

interface VisitOptions {
  /** Asks to stop. */
  signal: AbortSignal
  sliceMs: number
  tell: Shift['tell']
}

/** Does what is due on a site, under its lease. Trouble is told in the answer and kept with the site. */
export async function visitSite(control: Control, lease: TakenLease, options: VisitOptions): Promise<Visit> {
  const beganAt = performance.now()
  const { site } = lease
  const told = () => ({ site, seconds: (performance.now() - beganAt) / 1_000 })
  let tenant: string | undefined
  try {
    tenant = await findTenantIdOfSite(control.store.control, site)
    if (tenant === undefined) {
      await updateJob(control.store.control, lease, { dueAt: null, leasedUntil: null })
      return { ...told(), tenant, outcome: 'done', done: {} }
    }
    const worked = await workOn(control, { tenant, lease, options, beganAt })
    return { ...told(), tenant, ...worked }
  } catch (fault) {
    if (isLost(fault)) return { ...told(), tenant, outcome: 'lost', done: {} }
    await backOff(control, lease, fault)
    return { ...told(), tenant, outcome: 'failed', done: {}, fault }
  }
}

interface Work {
  tenant: string
  lease: TakenLease
  options: VisitOptions
  beganAt: number
}

async function workOn(control: Control, { tenant, lease, options, beganAt }: Work) {
  using held = holdLease(control, lease, options.signal)
  await using site = await openSite(control, await readTenant(control, tenant))
  const shift = openShift(site, { lease, ...options, signal: held.signal, stay: () => held.stay() })
  try {
    const { done, fault } = await runJobs(control, site, shift)
    const isOver = shift.isOver
    const now = control.clock.now()
    await shift.change(async (db) => {
      await addToTotal(db, 'cronTime', Math.ceil((performance.now() - beganAt) / 1_000))
      await upsertJobRun(db, 'visit', { ranAt: now, cursor: undefined })
    })
    await control.store.tellControl(async (db) => {
      const dueAt = await tellState(db, site)
      if (done['scrub-files'] !== undefined) await tellDamage(db, site)
      const next = isOver ? now : dueAt
      const change = fault === undefined ? doneChange(next) : failedChange(lease, fault, now)
      if (await updateJob(db, lease, change)) await updateLastJobAt(db, site.number, now)
    })
    const outcome = fault === undefined ? (isOver ? 'unfinished' : 'done') : 'failed'
    return { done, outcome, ...(fault === undefined ? {} : { fault }) } as const
  } catch (error) {
    if (isLost(error)) await catchUp(control, site)
    throw error
  }
}

/** One job's trouble must not keep the others waiting: it is told when all have had their turn. */
async function runJobs(control: Control, site: Site, shift: Shift) {
  const done: Record<string, number> = {}
  let fault: unknown
  let landmarks = await readLandmarks(site.db)
  for (const job of siteJobs) {
    if (shift.isOver) break
    const dueAt = job.dueAt(landmarks, site.values)
    if (!dueAt || dueAt > site.clock.now()) continue
    const beganAt = performance.now()
    let isFailed = false
    try {
      done[job.name] = await job.run(site, shift)
    } catch (error) {
      if (isLost(error)) throw error
      // Who is told to stop half-way has not failed.
      if (!shift.signal.aborted) fault ??= error
      isFailed = !shift.signal.aborted
    }
    countJob(control.jobTally, job.name, { isFailed, seconds: (performance.now() - beganAt) / 1_000 })
    // It may have left work to the next one.
    landmarks = await readLandmarks(site.db)
  }
  return { done, fault }
}

const isLost = (error: unknown) => error instanceof Refusal && error.code === leaseLost().code

/** A site whose fence is ahead of the installation's own count would never be worked on again. */
async function catchUp(control: Control, site: Site): Promise<void> {
  await raiseToken(control.store.control, site.number, await findFence(site.db))
}

const doneChange = (dueAt: Date | undefined) => ({
  ...{ dueAt: dueAt?.toISOString() ?? null, leasedUntil: null, failures: 0, fault: null },
})

const firstBackOffMs = 30_000
const longestBackOffMs = 3_600_000

function failedChange({ failures }: TakenLease, fault: unknown, now: Date) {
  const waitMs = Math.min(longestBackOffMs, firstBackOffMs * 2 ** Math.min(failures, 20))
  const dueAt = new Date(now.getTime() + waitMs).toISOString()
  return { dueAt, leasedUntil: null, failures: failures + 1, fault: faultText(fault) }
}

export const faultText = (fault: unknown): string =>
  (fault instanceof Error ? fault.message : String(fault)).slice(0, 500)

/** While even this cannot be written, the lease ends by itself. */
async function backOff(control: Control, lease: TakenLease, fault: unknown): Promise<void> {
  const change = failedChange(lease, fault, control.clock.now())
  await updateJob(control.store.control, lease, change).catch(() => undefined)
}

async function tellDamage(db: ControlDb, site: Site): Promise<void> {
  const { length } = await damagedFiles(site)
  if (length === 0) await deleteMeta(db, `damaged ${site.number}`)
  else await upsertMeta(db, `damaged ${site.number}`, String(length))
}
