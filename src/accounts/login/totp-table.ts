import type { SiteDb } from '../../db/index.ts'

interface Totp {
  sealedSecret: string
  lastStep: number
  createdAt: Date
}

export async function findTotp(db: SiteDb, userId: string): Promise<Totp | undefined> {
  const row = await db
    .selectFrom('totp')
    .select(['sealedSecret', 'lastStep', 'createdAt'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  return row && { ...row, createdAt: new Date(row.createdAt) }
}

/** False if the user has one already. */
export async function insertTotp(
  db: SiteDb,
  { createdAt, ...totp }: Totp & { userId: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('totp')
    .values({ ...totp, createdAt: createdAt.toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False if a code of this step, or of a later one up to `latest`, was taken already. Beyond it the clock was set back since. */
export async function updateLastStep(
  db: SiteDb,
  userId: string,
  { step, latest }: { step: number; latest: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('totp')
    .set({ lastStep: step })
    .where('userId', '=', userId)
    .where((eb) => eb.or([eb('lastStep', '<', step), eb('lastStep', '>', latest)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False if the user has none. */
export async function deleteTotp(db: SiteDb, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('totp').where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}

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
