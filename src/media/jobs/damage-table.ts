import type { SiteDb } from '../../db/index.ts'

/** A file whose stored bytes are not what its row says. */
export interface Damage {
  fileId: string
  fault: string
  foundAt: Date
}

export async function allDamage(db: SiteDb): Promise<Damage[]> {
  const rows = await db.selectFrom('damage').selectAll().orderBy('fileId').execute()
  return rows.map(({ fileId, fault, foundAt }) => ({ fileId, fault, foundAt: new Date(foundAt) }))
}

/** If the file is known as damaged already, only the fault is replaced. */
export async function insertDamage(db: SiteDb, { fileId, fault, foundAt }: Damage): Promise<void> {
  await db
    .insertInto('damage')
    .values({ fileId, fault, foundAt: foundAt.toISOString() })
    .onConflict((conflict) => conflict.column('fileId').doUpdateSet({ fault }))
    .execute()
}

export async function deleteDamage(db: SiteDb, fileIds: readonly string[]): Promise<void> {
  await db.deleteFrom('damage').where('fileId', 'in', fileIds).execute()
}
