import type { SiteDb } from '../db/index.ts'
import { openUploads } from './resumable/resumable-uploads-table.ts'

/** The number of keys of the user who has the most. */
export async function countMostUserKeys(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('userKey')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy('userId')
    .orderBy('count', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.count ?? 0
}

/** The number of open uploads of the user who has the most. */
export async function countMostOpenUploads(db: SiteDb, now: Date): Promise<number> {
  const row = await openUploads(db, now)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', 'is not', null)
    .groupBy('userId')
    .orderBy('count', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.count ?? 0
}
