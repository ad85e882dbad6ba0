import type { SiteDb } from '../db/index.ts'

/** False if a worker with a newer lease has written to the site: then the caller must change nothing. */
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
