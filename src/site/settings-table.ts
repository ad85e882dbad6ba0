import type { SiteDb } from '../db/index.ts'

export async function allSettings(db: SiteDb): Promise<Map<string, string>> {
  const rows = await db.selectFrom('setting').select(['name', 'value']).execute()
  return new Map(rows.map(({ name, value }) => [name, value]))
}

export async function upsertSetting(db: SiteDb, name: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
