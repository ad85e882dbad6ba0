import type { SiteDb } from '../../db/index.ts'

/** The versions of files that are there, by id. */
export async function findVersions(db: SiteDb, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.selectFrom('file').select(['id', 'version']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** Ends every signed address of these files. */
export async function raiseAddressVersionsOf(db: SiteDb, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('file')
    .set((row) => ({ addressVersion: row('addressVersion', '+', 1) }))
    .where('id', 'in', ids)
    .execute()
}
