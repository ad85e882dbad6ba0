import type { SiteDb } from '../../db/index.ts'

export async function insertRateLimitHit(
  db: SiteDb,
  hit: { id: string; address: string; at: Date },
): Promise<void> {
  await db
    .insertInto('rateLimitHit')
    .values({ ...hit, at: hit.at.toISOString() })
    .execute()
}

export async function deleteRateLimitHit(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('rateLimitHit').where('id', '=', id).execute()
}

export async function deleteRateLimitHitsBefore(db: SiteDb, address: string, before: Date): Promise<void> {
  await db
    .deleteFrom('rateLimitHit')
    .where('address', '=', address)
    .where('at', '<', before.toISOString())
    .execute()
}

export async function countRateLimitHits(
  db: SiteDb,
  address: string,
  { since, until }: { since: Date; until: Date },
): Promise<number> {
  const row = await db
    .selectFrom('rateLimitHit')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('address', '=', address)
    .where('at', '>', since.toISOString())
    .where('at', '<=', until.toISOString())
    .executeTakeFirstOrThrow()
  return row.count
}

/** Of all addresses; answers with how many there were. */
export async function deleteAllRateLimitHitsBefore(db: SiteDb, before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('rateLimitHit')
    .where('at', '<', before.toISOString())
    .executeTakeFirst()
  return Number(numDeletedRows)
}
