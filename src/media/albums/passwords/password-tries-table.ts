import type { SiteDb } from '../../../db/index.ts'

export async function insertTry(db: SiteDb, given: { id: string; address: string; at: Date }): Promise<void> {
  await db
    .insertInto('passwordTry')
    .values({ ...given, at: given.at.toISOString() })
    .execute()
}

export async function deleteTry(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('passwordTry').where('id', '=', id).execute()
}

export async function deleteTriesBefore(db: SiteDb, before: Date): Promise<void> {
  await db.deleteFrom('passwordTry').where('at', '<=', before.toISOString()).execute()
}

export async function countTries(db: SiteDb, address: string): Promise<number> {
  const row = await db
    .selectFrom('passwordTry')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  return row.count
}
