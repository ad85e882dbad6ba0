import type { ControlDb, ControlTables } from '../../db/index.ts'

/** A passkey as its operator sees it. */
export interface OperatorPasskey {
  id: string
  operatorId: string
  credentialId: string
  name: string
  transports: readonly string[]
  /** Browsers offer it there only. */
  hostname: string
  createdAt: Date
  lastUsedAt: Date | undefined
}

export interface VerifiablePasskey extends OperatorPasskey {
  publicKey: string
  counter: number
}

/** False if the credential is known already. */
export async function insertPasskey(
  db: ControlDb,
  { transports, createdAt, ...passkey }: Omit<VerifiablePasskey, 'lastUsedAt'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('operatorPasskey')
    .values({
      ...passkey,
      transports: JSON.stringify(transports),
      createdAt: createdAt.toISOString(),
      lastUsedAt: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** The oldest first. */
export async function passkeysOf(db: ControlDb, operatorId: string): Promise<OperatorPasskey[]> {
  const rows = await db
    .selectFrom('operatorPasskey')
    .selectAll()
    .where('operatorId', '=', operatorId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(passkeyOfRow)
}

export async function findPasskey(
  db: ControlDb,
  credentialId: string,
): Promise<VerifiablePasskey | undefined> {
  const row = await db
    .selectFrom('operatorPasskey')
    .selectAll()
    .where('credentialId', '=', credentialId)
    .executeTakeFirst()
  return row && passkeyOfRow(row)
}

const passkeyOfRow = (row: ControlTables['operatorPasskey']): VerifiablePasskey => ({
  ...row,
  transports: JSON.parse(row.transports) as string[],
  createdAt: new Date(row.createdAt),
  lastUsedAt: row.lastUsedAt === null ? undefined : new Date(row.lastUsedAt),
})

/** False if the passkey is gone, or has counted further meanwhile: two devices must not share one. */
export async function updatePasskeyUse(
  db: ControlDb,
  id: string,
  { from, counter, at }: { from: number; counter: number; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operatorPasskey')
    .set({ counter, lastUsedAt: at.toISOString() })
    .where('id', '=', id)
    .where('counter', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function updatePasskeyName(db: ControlDb, id: string, name: string): Promise<void> {
  await db.updateTable('operatorPasskey').set({ name }).where('id', '=', id).execute()
}

export async function deletePasskey(db: ControlDb, id: string): Promise<void> {
  await db.deleteFrom('operatorPasskey').where('id', '=', id).execute()
}

export async function deletePasskeys(db: ControlDb, operatorId: string): Promise<void> {
  await db.deleteFrom('operatorPasskey').where('operatorId', '=', operatorId).execute()
}
