import type { SiteDb } from '../db/index.ts'

/** When a job was last finished, and the cursor to continue from while it is unfinished. */
export interface JobProgress {
  ranAt: Date
  cursor: string | undefined
}

export async function findJobProgress(db: SiteDb, name: string): Promise<JobProgress | undefined> {
  const row = await db.selectFrom('jobRun').selectAll().where('name', '=', name).executeTakeFirst()
  return row && { ranAt: new Date(row.ranAt), cursor: row.cursor ?? undefined }
}

export async function upsertJobProgress(db: SiteDb, name: string, run: JobProgress): Promise<void> {
  const row = { ranAt: run.ranAt.toISOString(), cursor: run.cursor ?? null }
  await db
    .insertInto('jobRun')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function deleteJobProgress(db: SiteDb, name: string): Promise<void> {
  await db.deleteFrom('jobRun').where('name', '=', name).execute()
}
