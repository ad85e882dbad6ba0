import type { SiteDb } from '../../db/index.ts'

/** A file whose stored bytes are not what its row says. */
export interface Damage {
  fileId: string
  fault: string
  foundAt: Date
}

const prefix = 'damage:'

export async function allDamage(db: SiteDb): Promise<Damage[]> {
  const rows = await db
    .selectFrom('jobRun')
    .selectAll()
    .where('name', '>=', prefix)
    .where('name', '<', 'damage;')
    .orderBy('name')
    .execute()
  return rows.map(({ name, ranAt, cursor }) => ({
    fileId: name.slice(prefix.length),
    fault: cursor ?? '',
    foundAt: new Date(ranAt),
  }))
}

export async function insertDamage(db: SiteDb, { fileId, fault, foundAt }: Damage): Promise<void> {
  await db
    .insertInto('jobRun')
    .values({ name: `${prefix}${fileId}`, ranAt: foundAt.toISOString(), cursor: fault })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ cursor: fault }))
    .execute()
}

export async function deleteDamage(db: SiteDb, fileIds: readonly string[]): Promise<void> {
  const names = fileIds.map((id) => `${prefix}${id}`)
  await db.deleteFrom('jobRun').where('name', 'in', names).execute()
}
