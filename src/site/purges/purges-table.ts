import { requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'

export type SitePurge = SiteTables['purge']

export async function insertPurge(db: SiteDb, row: SitePurge): Promise<void> {
  await db.insertInto('purge').values(row).execute()
  // If this process is killed before the row is relayed, a job does it.
  requestSync(db)
}

export const firstPurges = (db: SiteDb, limit: number): Promise<SitePurge[]> =>
  db
    .selectFrom('purge')
    .select(['id', 'at', 'hostname', 'scope', 'paths', 'fileIds'])
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()

export async function deletePurges(db: SiteDb, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('purge').where('id', 'in', ids).execute()
}
