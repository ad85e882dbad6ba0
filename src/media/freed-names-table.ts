import { prepare, type SiteDb } from '../db/index.ts'

interface Name {
  folder: string
  nameKey: string
}

export async function insertFreedName(db: SiteDb, name: Name, until: Date): Promise<void> {
  await db
    .insertInto('freedName')
    .values({ ...name, until: until.toISOString() })
    .onConflict((conflict) =>
      conflict.columns(['folder', 'nameKey']).doUpdateSet({ until: until.toISOString() }),
    )
    .execute()
}

const freedUntil = prepare((db, { folder, nameKey, now }: Record<'folder' | 'nameKey' | 'now', never>) =>
  db
    .selectFrom('freedName')
    .select('until')
    .where('folder', '=', folder)
    .where('nameKey', '=', nameKey)
    .where('until', '>', now),
)

export async function isFreedName(db: SiteDb, { folder, nameKey }: Name, now: Date): Promise<boolean> {
  const rows = await freedUntil.rows(db, { folder, nameKey, now: now.toISOString() })
  return rows.length > 0
}

export async function deleteFreedNamesBefore(db: SiteDb, before: Date): Promise<void> {
  await db.deleteFrom('freedName').where('until', '<=', before.toISOString()).execute()
}
