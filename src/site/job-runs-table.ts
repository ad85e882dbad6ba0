import type { SiteDb } from '../db/index.ts'

/** False when a younger lease has worked here: then whoever holds this one may change nothing any more. */
export async function raiseFence(db: SiteDb, token: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobFence')
    .set({ token })
    .where('id', '=', 1)
    .where('token', '<=', token)
    .executeTakeFirst()
  if (numUpdatedRows === 1n) return true
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('jobFence')
    .values({ id: 1, token })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findFence(db: SiteDb): Promise<number> {
  const row = await db.selectFrom('jobFence').select('token').where('id', '=', 1).executeTakeFirst()
  return row?.token ?? 0
}

/** When a job last came to its end, and where it stopped when it is under way. */
export interface JobRun {
  ranAt: Date
  cursor: string | undefined
}

export async function findJobRun(db: SiteDb, name: string): Promise<JobRun | undefined> {
  const row = await db.selectFrom('jobRun').selectAll().where('name', '=', name).executeTakeFirst()
  return row && { ranAt: new Date(row.ranAt), cursor: row.cursor ?? undefined }
}

export async function upsertJobRun(db: SiteDb, name: string, run: JobRun): Promise<void> {
  const row = { ranAt: run.ranAt.toISOString(), cursor: run.cursor ?? null }
  await db
    .insertInto('jobRun')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function deleteJobRun(db: SiteDb, name: string): Promise<void> {
  await db.deleteFrom('jobRun').where('name', '=', name).execute()
}
