import type { ControlDb } from '../../db/index.ts'

/** Puts new codes in place of the old ones. */
export async function replaceRecoveryCodes(
  db: ControlDb,
  operatorId: string,
  codeHashes: readonly string[],
): Promise<void> {
  await deleteRecoveryCodes(db, operatorId)
  await db
    .insertInto('operatorRecoveryCode')
    .values(codeHashes.map((codeHash) => ({ operatorId, codeHash })))
    .execute()
}

export async function countRecoveryCodes(db: ControlDb, operatorId: string): Promise<number> {
  const row = await db
    .selectFrom('operatorRecoveryCode')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('operatorId', '=', operatorId)
    .executeTakeFirstOrThrow()
  return row.count
}

/** False if the operator has no such code. */
export async function deleteRecoveryCode(
  db: ControlDb,
  operatorId: string,
  codeHash: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('operatorRecoveryCode')
    .where('operatorId', '=', operatorId)
    .where('codeHash', '=', codeHash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteRecoveryCodes(db: ControlDb, operatorId: string): Promise<void> {
  await db.deleteFrom('operatorRecoveryCode').where('operatorId', '=', operatorId).execute()
}
