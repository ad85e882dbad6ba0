import type { SiteDb } from '../db/index.ts'

/** Of these names, the ones that are tags of the site already. */
export async function knownTags(db: SiteDb, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await db.selectFrom('tag').select('name').where('name', 'in', names).execute()
  return new Set(rows.map((row) => row.name))
}

/** False when it is there already. */
export async function insertTag(db: SiteDb, name: string, at: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('tag')
    .values({ name, createdAt: at.toISOString() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function insertFileTags(db: SiteDb, fileId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await db
    .insertInto('fileTag')
    .values(names.map((tagName) => ({ fileId, tagName })))
    .execute()
}

export async function tagsOfFile(db: SiteDb, fileId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('fileTag')
    .select('tagName')
    .where('fileId', '=', fileId)
    .orderBy('tagName')
    .execute()
  return rows.map((row) => row.tagName)
}
