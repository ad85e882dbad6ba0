import type { SiteDb } from '../db/index.ts'
import { largestUserTotals, totalsOfUser } from '../site/index.ts'
import { reservedBytesByOwner } from './resumable/reserved-bytes-table.ts'
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

/** The bytes of the user who has the most, with those that open uploads have reserved. */
export async function countMostUserBytes(db: SiteDb, now: Date): Promise<number> {
  let { storageUsed: most } = await largestUserTotals(db)
  for (const [userId, reserved] of await reservedBytesByOwner(db, now))
    most = Math.max(most, (await totalsOfUser(db, userId)).storageUsed + reserved)
  return most
}
