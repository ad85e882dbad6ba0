import type { ControlDb } from '../db/index.ts'

type MetaName =
  | 'installation'
  | 'seal-check'
  | 'audit-secret'
  | 'secret-check'
  | 'settled-up-to'
  | 'storage-folder'
  | 'public-address'
  | `job ${string}`
  | `damaged ${number}`

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

export async function deleteMeta(db: ControlDb, name: MetaName): Promise<void> {
  await db.deleteFrom('meta').where('name', '=', name).execute()
}

/** All entries with this prefix, by their full names. */
export async function metaLike(db: ControlDb, prefix: 'job ' | 'damaged '): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().where('name', 'like', `${prefix}%`).execute()
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Whether there was ever a tenant, so that bytes may be stored. */
export async function hasSites(db: ControlDb): Promise<boolean> {
  const row = await db.selectFrom('site').select('number').limit(1).executeTakeFirst()
  return row !== undefined
}
