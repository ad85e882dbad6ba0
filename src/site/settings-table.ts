import { prepare, requestSync, type SiteDb } from '../db/index.ts'

const everySetting = prepare((db) => db.selectFrom('setting').select(['name', 'value']))

export async function allSettings(db: SiteDb): Promise<Map<string, string>> {
  const rows = await everySetting.rows(db, {})
  return new Map(rows.map(({ name, value }) => [name, value]))
}

export async function upsertSetting(db: SiteDb, name: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
  requestSync(db)
}

export async function deleteSetting(db: SiteDb, name: string): Promise<void> {
  await db.deleteFrom('setting').where('name', '=', name).execute()
  requestSync(db)
}
