import { type ControlDb, prepareControl } from '../db/index.ts'

interface JobChange {
  dueAt?: string | null
  leasedUntil?: string | null
  failures?: number
  fault?: string | null
}

/** False if another worker has the lease: then nothing is changed. */
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

/** Sets when the next job is due. A failing job keeps the time of its next attempt. */
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
  site,
  dueAt,
  token: 0,
  leasedUntil: null,
  failures: 0,
  fault: null,
})

/** Does nothing if the site has a job row. */
export async function insertJob(db: ControlDb, site: number, dueAt: Date): Promise<void> {
  await db
    .insertInto('job')
    .values(newJob(site, dueAt.toISOString()))
    .onConflict((conflict) => conflict.column('site').doNothing())
    .execute()
}

export async function deleteJob(db: ControlDb, site: number): Promise<void> {
  await db.deleteFrom('job').where('site', '=', site).execute()
}

/** When the site's next job is due. */
export async function findDueAt(db: ControlDb, site: number): Promise<string | undefined> {
  const row = await db.selectFrom('job').select('dueAt').where('site', '=', site).executeTakeFirst()
  return row?.dueAt ?? undefined
}

/** Job rows that fail, are long overdue, or whose worker did not renew its lease. */
export function unhealthyJobs(
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
