import { type ControlDb, prepareControl, type Store } from '../db/index.ts'

export const leaseMs = 60_000

/** Sites that have something to do now and that nobody is at, those that have waited longest first. */
function due(db: ControlDb, { now, only, isAsked }: Which) {
  const at = now.toISOString()
  const tooFar = new Date(now.getTime() + 2 * leaseMs).toISOString()
  const free = db.selectFrom('job').where((eb) =>
    eb.or([
      eb('leasedUntil', 'is', null),
      eb('leasedUntil', '<=', at),
      // Nobody takes one for so long: a clock was ahead, and has been set back.
      eb('leasedUntil', '>', tooFar),
    ]),
  )
  const chosen = only === undefined ? free : free.where('site', '=', only)
  return isAsked ? chosen : chosen.where('dueAt', '<=', at)
}

interface Which {
  now: Date
  /** This site and no other. */
  only?: number | undefined
  /** Whether or not there is something to do. */
  isAsked?: boolean | undefined
}

interface Taking extends Which {
  until: Date
  limit: number
}

/** Nothing is locked or written where nothing is due. */
export async function hasDue(db: ControlDb, which: Which): Promise<boolean> {
  const row = await due(db, which).select('site').limit(1).executeTakeFirst()
  return row !== undefined
}

/** For the inside of a transaction. */
export async function leaseDue(
  db: ControlDb,
  { until, limit, ...which }: Taking,
  kind: Store['kind'],
): Promise<LeaseRow[]> {
  const free = due(db, which).select('site').orderBy('dueAt').limit(limit)
  // Rows that another worker is taking at this moment are its own. On SQLite nobody else writes meanwhile.
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

/** False when another has it. */
export async function extendLease(
  db: ControlDb,
  lease: { site: number; token: number },
  until: Date,
): Promise<boolean> {
  return updateJob(db, lease, { leasedUntil: until.toISOString() })
}

interface JobChange {
  dueAt?: string | null
  leasedUntil?: string | null
  failures?: number
  fault?: string | null
}

/** False when another has the lease: then it is no longer ours to change. */
export async function updateJob(
  db: ControlDb,
  { site, token }: { site: number; token: number },
  change: JobChange,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set(change)
    .where('site', '=', site)
    .where('token', '=', token)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Told after every change of a site. One that fails keeps its own time. */
export async function upsertDueAt(db: ControlDb, site: number, dueAt: Date | undefined): Promise<void> {
  if (dueAt === undefined) await noDueAt.changes(db, { site })
  else await newDueAt.changes(db, { site, at: dueAt.toISOString() })
}

const noDueAt = prepareControl((db, { site }: Record<'site', never>) =>
  db
    .updateTable('job')
    .set({ dueAt: null })
    .where('site', '=', site)
    .where('dueAt', 'is not', null)
    .where('failures', '=', 0),
)

const newDueAt = prepareControl((db, { site, at }: Record<'site' | 'at', never>) =>
  db
    .insertInto('job')
    .values(newJob(site, at))
    .onConflict((conflict) =>
      conflict
        .column('site')
        .doUpdateSet({ dueAt: at })
        .where('job.failures', '=', 0)
        .where((eb) => eb.or([eb('job.dueAt', 'is', null), eb('job.dueAt', '<>', at)])),
    ),
)

const newJob = (site: number, dueAt: string) => ({
  ...{ site, dueAt, token: 0, leasedUntil: null, failures: 0, fault: null },
})

/** Makes the row that is missing. */
export async function insertJob(db: ControlDb, site: number, dueAt: Date): Promise<void> {
  await db
    .insertInto('job')
    .values(newJob(site, dueAt.toISOString()))
    .onConflict((conflict) => conflict.column('site').doNothing())
    .execute()
}

/** A site's own fence may be ahead of us, when we were restored from an older copy. */
export async function raiseToken(db: ControlDb, site: number, token: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ token, leasedUntil: null })
    .where('site', '=', site)
    .where('token', '<', token)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deleteJob(db: ControlDb, site: number): Promise<void> {
  await db.deleteFrom('job').where('site', '=', site).execute()
}

/** How the work stands: what waits now, since when, and what fails. */
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

/** When jobs are due on a site. */
export async function findDueAt(db: ControlDb, site: number): Promise<string | undefined> {
  const row = await db.selectFrom('job').select('dueAt').where('site', '=', site).executeTakeFirst()
  return row?.dueAt ?? undefined
}

/** Jobs that fail, that nobody has done for long, or whose worker never came back. */
export function troubledJobs(
  db: ControlDb,
  { dueBefore, leasedBefore }: { dueBefore: Date; leasedBefore: Date },
) {
  return db
    .selectFrom('job')
    .leftJoin('tenant', 'tenant.site', 'job.site')
    .select([
      'job.site',
      'job.dueAt',
      'job.leasedUntil',
      'job.failures',
      'job.fault',
      'tenant.id as tenantId',
    ])
    .where((eb) =>
      eb.or([
        eb('job.failures', '>', 0),
        eb('job.dueAt', '<', dueBefore.toISOString()),
        eb('job.leasedUntil', '<', leasedBefore.toISOString()),
      ]),
    )
    .orderBy('job.site')
    .limit(1_000)
    .execute()
}
