import type { ControlDb } from '../../db/index.ts'

/** A key to the management API. */
export interface ControlKey {
  id: number
  name: string | undefined
  secretHash: string
  createdAt: Date
  expiresAt: Date | undefined
}

export type NewControlKey = Omit<ControlKey, 'id' | 'secretHash'>

/** The new key's number; undefined if the name is taken. The hash is set afterwards, because the key contains the number. */
export async function insertControlKey(db: ControlDb, key: NewControlKey): Promise<number | undefined> {
  const row = await db
    .insertInto('controlKey')
    .values({
      name: key.name ?? null,
      secretHash: '',
      createdAt: key.createdAt.toISOString(),
      expiresAt: key.expiresAt?.toISOString() ?? null,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updateControlKeyHash(db: ControlDb, id: number, secretHash: string): Promise<void> {
  await db.updateTable('controlKey').set({ secretHash }).where('id', '=', id).execute()
}

export async function findControlKey(db: ControlDb, by: { id: number } | { name: string }) {
  const query = db.selectFrom('controlKey').selectAll()
  const row = await ('id' in by
    ? query.where('id', '=', by.id)
    : query.where('name', '=', by.name)
  ).executeTakeFirst()
  return row && keyOfRow(row)
}

export async function allControlKeys(db: ControlDb): Promise<ControlKey[]> {
  const rows = await db.selectFrom('controlKey').selectAll().orderBy('id').execute()
  return rows.map(keyOfRow)
}

export async function deleteControlKey(db: ControlDb, id: number): Promise<void> {
  await db.deleteFrom('controlKey').where('id', '=', id).execute()
}

/** False if the nonce was used before. */
export async function insertNonce(db: ControlDb, nonce: string, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('nonce')
    .values({ nonce, expiresAt: expiresAt.toISOString() })
    .onConflict((conflict) => conflict.column('nonce').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Returns how many there were. */
export async function deleteNonces(db: ControlDb, until: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('nonce')
    .where('expiresAt', '<', until.toISOString())
    .executeTakeFirst()
  return Number(numDeletedRows)
}

interface KeyRow {
  id: number
  name: string | null
  secretHash: string
  createdAt: string
  expiresAt: string | null
}

const keyOfRow = (row: KeyRow): ControlKey => ({
  id: row.id,
  name: row.name ?? undefined,
  secretHash: row.secretHash,
  createdAt: new Date(row.createdAt),
  expiresAt: row.expiresAt === null ? undefined : new Date(row.expiresAt),
})
