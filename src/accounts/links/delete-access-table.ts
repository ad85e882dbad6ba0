import type { SiteDb } from '../../db/index.ts'

export interface AccessDeletion {
  userId: string
  /** Undefined: all that there is. */
  before: Date | undefined
  now: Date
}

/**
 * Ends whatever opens the account, or what is in it, without its password and was made before a time: keys, passkeys,
 * connected accounts, the second step, shares. Returns the ids of the keys and shares.
 */
export async function deleteAccess(
  db: SiteDb,
  { userId, before, now }: AccessDeletion,
): Promise<{ keys: string[]; shares: string[] }> {
  // Later than every time that is stored.
  const end = before?.toISOString() ?? '9'
  const keys = await db
    .deleteFrom('userKey')
    .where('userId', '=', userId)
    .where('createdAt', '<', end)
    .returning('id')
    .execute()
  await db.deleteFrom('passkey').where('userId', '=', userId).where('createdAt', '<', end).execute()
  await db.deleteFrom('identity').where('userId', '=', userId).where('createdAt', '<', end).execute()
  const { numDeletedRows: secondSteps } = await db
    .deleteFrom('totp')
    .where('userId', '=', userId)
    .where('createdAt', '<', end)
    .executeTakeFirst()
  if (secondSteps > 0n) await db.deleteFrom('recoveryCode').where('userId', '=', userId).execute()
  // The rows stay, so that their addresses are answered as those of shares that have ended.
  const shares = await db
    .updateTable('share')
    .set({ revokedAt: now.toISOString() })
    .where('userId', '=', userId)
    .where('createdAt', '<', end)
    .where('revokedAt', 'is', null)
    .returning('id')
    .execute()
  return { keys: keys.map(({ id }) => id), shares: shares.map(({ id }) => id) }
}
