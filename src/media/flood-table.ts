import type { SiteDb } from '../db/index.ts'

export async function insertMark(db: SiteDb, mark: { id: string; address: string; at: Date }): Promise<void> {
  await db
    .insertInto('uploadMark')
    .values({ ...mark, at: mark.at.toISOString() })
    .execute()
}

export async function deleteMark(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('uploadMark').where('id', '=', id).execute()
}

export async function deleteMarksBefore(db: SiteDb, address: string, before: Date): Promise<void> {
  await db
    .deleteFrom('uploadMark')
    .where('address', '=', address)
    .where('at', '<', before.toISOString())
    .execute()
}

export async function countMarks(db: SiteDb, address: string, since: Date): Promise<number> {
  const row = await db
    .selectFrom('uploadMark')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('address', '=', address)
    .where('at', '>', since.toISOString())
    .executeTakeFirstOrThrow()
  return row.count
}

/** Of all addresses; answers with how many there were. */
export async function deleteAllMarksBefore(db: SiteDb, before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('uploadMark')
    .where('at', '<', before.toISOString())
    .executeTakeFirst()
  return Number(numDeletedRows)
}
