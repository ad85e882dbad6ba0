import type { ControlDb, ControlTables } from '../../../db/index.ts'

export type ExportRow = ControlTables['tenantExport']

export async function insertExport(db: ControlDb, row: ExportRow): Promise<void> {
  await db.insertInto('tenantExport').values(row).execute()
}

export function findExport(db: ControlDb, id: string): Promise<ExportRow | undefined> {
  return db.selectFrom('tenantExport').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those that no process has finished yet, the oldest first. */
export function unfinishedExports(db: ControlDb): Promise<ExportRow[]> {
  return db
    .selectFrom('tenantExport')
    .selectAll()
    .where('state', 'in', ['waiting', 'running'])
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** One try of an export by one process. */
export type ExportTry = Pick<ExportRow, 'id' | 'tries'>

export function endedExports(db: ControlDb, now: Date): Promise<ExportTry[]> {
  return db
    .selectFrom('tenantExport')
    .select(['id', 'tries'])
    .where('expiresAt', '<=', now.toISOString())
    .execute()
}

/** False if the export was deleted, or another process has taken it. */
export async function updateExport(
  db: ControlDb,
  { id, tries }: ExportTry,
  change: Partial<ExportRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tenantExport')
    .set(change)
    .where('id', '=', id)
    .where('tries', '=', tries)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function takeExport(
  db: ControlDb,
  id: string,
  lease: Pick<ExportRow, 'leasedBy' | 'leasedUntil' | 'tries'>,
): Promise<void> {
  await db
    .updateTable('tenantExport')
    .set({ ...lease, state: 'running' })
    .where('id', '=', id)
    .execute()
}

export async function deleteExport(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('tenantExport').where('id', '=', id).execute()
}
