import type { ControlDb } from '../db/index.ts'

type MetaName = 'seal-check' | 'secret-check'

export async function findMeta(db: ControlDb, name: MetaName): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function upsertMeta(db: ControlDb, name: MetaName, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
