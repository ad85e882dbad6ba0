import type { ControlDb, Store } from '../db/index.ts'
import { updateJob } from './job-rows-table.ts'

export const leaseMs = 60_000

/** Sites with a due job and without a valid lease. */
function due(db: ControlDb, { now, only, isForced }: LeaseFilter) {
  const at = now.toISOString()
  const tooFar = new Date(now.getTime() + 2 * leaseMs).toISOString()
  const free = db.selectFrom('job').where((eb) =>
    eb.or([
      eb('leasedUntil', 'is', null),
      eb('leasedUntil', '<=', at),
      // No lease lasts this long: the clock of the worker that took it was ahead.
      eb('leasedUntil', '>', tooFar),
    ]),
  )
  const chosen = only === undefined ? free : free.where('site', '=', only)
  return isForced ? chosen : chosen.where('dueAt', '<=', at)
}

interface LeaseFilter {
  now: Date
  /** Only this site. */
  only?: number | undefined
  /** Even if no job is due. */
  isForced?: boolean | undefined
}

interface Taking extends LeaseFilter {
  until: Date
  limit: number
}

/** A read without locks, so that an idle poll writes nothing. */
export async function hasDue(db: ControlDb, which: LeaseFilter): Promise<boolean> {
  const row = await due(db, which).select('site').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Must run inside a transaction. The sites that have waited longest come first. */
export async function leaseDue(
  db: ControlDb,
  { until, limit, ...which }: Taking,
  kind: Store['kind'],
): Promise<LeaseRow[]> {
  const free = due(db, which).select('site').orderBy('dueAt').limit(limit)
  // Skip rows that another worker is leasing now. On SQLite no other transaction writes at the same time.
  const rows = await (kind === 'postgres' ? free.forUpdate().skipLocked() : free).execute()
  if (rows.length === 0) return []
  return db
    .updateTable('job')
    .set((row) => ({ token: row('token', '+', 1), leasedUntil: until.toISOString() }))
    .where(
      'site',
      'in',
      rows.map(({ site }) => site),
    )
    .returning(['site', 'token', 'failures', 'fault'])
    .execute()
}

export interface LeaseRow {
  site: number
  token: number
  failures: number
  fault: string | null
}

/** False if another worker has the lease. */
export async function extendLease(
  db: ControlDb,
  lease: { site: number; token: number },
  until: Date,
): Promise<boolean> {
  return updateJob(db, lease, { leasedUntil: until.toISOString() })
}

/** After a restore of older control tables, the fence in a site's rows may be ahead of the token here. */
export async function raiseToken(db: ControlDb, site: number, token: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ token, leasedUntil: null })
    .where('site', '=', site)
    .where('token', '<', token)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** For the metrics: how many sites have due jobs, since when, and how many have failing jobs. */
export async function countJobs(db: ControlDb, now: Date) {
  const waiting = await due(db, { now })
    .select((eb) => [eb.fn.countAll<number>().as('due'), eb.fn.min('dueAt').as('since')])
    .executeTakeFirstOrThrow()
  const failing = await db
    .selectFrom('job')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('failures', '>', 0)
    .executeTakeFirstOrThrow()
  return { due: waiting.due, since: waiting.since ?? undefined, failing: failing.count }
}
