import type { SiteDb } from '../../../db/index.ts'

const namePrefix = 'hold-bytes '

/** A row of `jobRun` for each process that reads bytes; its time is the end of the hold. */
export async function upsertByteHold(db: SiteDb, token: string, until: Date): Promise<void> {
  const ranAt = until.toISOString()
  await db
    .insertInto('jobRun')
    .values({ name: namePrefix + token, ranAt, cursor: null })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ ranAt }))
    .execute()
}

export async function deleteByteHold(db: SiteDb, token: string): Promise<void> {
  await db
    .deleteFrom('jobRun')
    .where('name', '=', namePrefix + token)
    .execute()
}

/** Holds of processes that were killed. */
export async function deleteEndedByteHolds(db: SiteDb, now: Date): Promise<void> {
  await db
    .deleteFrom('jobRun')
    .where('name', 'like', `${namePrefix}%`)
    .where('ranAt', '<=', now.toISOString())
    .execute()
}

export async function hasByteHold(db: SiteDb, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('jobRun')
    .select('name')
    .where('name', 'like', `${namePrefix}%`)
    .where('ranAt', '>', now.toISOString())
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
