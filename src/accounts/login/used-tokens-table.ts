import { hash } from 'node:crypto'
import type { SiteDb } from '../../db/index.ts'

/** False if the token was used before. Tokens whose time has ended are refused by their own date, so their rows can go. */
export async function insertUsedToken(
  db: SiteDb,
  { token, now, expiresAt }: { token: string; now: Date; expiresAt: Date },
): Promise<boolean> {
  await db.deleteFrom('usedToken').where('expiresAt', '<=', now.toISOString()).execute()
  const row = { tokenHash: hash('sha256', token, 'hex'), expiresAt: expiresAt.toISOString() }
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('usedToken')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}
