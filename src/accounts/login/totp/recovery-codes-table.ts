import type { SiteDb } from '../../../db/index.ts'

export async function insertRecoveryCodes(
  db: SiteDb,
  userId: string,
  codeHashes: readonly string[],
): Promise<void> {
  await db
    .insertInto('recoveryCode')
    .values(codeHashes.map((codeHash) => ({ userId, codeHash })))
    .execute()
}

export async function countRecoveryCodes(db: SiteDb, userId: string): Promise<number> {
  const row = await db
    .selectFrom('recoveryCode')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return row.count
}

/** False if the user has no such code. */
export async function deleteRecoveryCode(db: SiteDb, userId: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recoveryCode')
    .where('userId', '=', userId)
    .where('codeHash', '=', codeHash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteRecoveryCodes(db: SiteDb, userId: string): Promise<void> {
  await db.deleteFrom('recoveryCode').where('userId', '=', userId).execute()
}
