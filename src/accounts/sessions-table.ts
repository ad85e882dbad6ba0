import type { SiteDb } from '../db/index.ts'

/** Answers with how many there were. */
export async function deleteSessionsUntil(db: SiteDb, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('expiresAt', '<=', now.toISOString())
    .executeTakeFirst()
  return Number(numDeletedRows)
}
