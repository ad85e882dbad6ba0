import type { SiteDb } from '../../db/index.ts'
import { isAboutSomething } from './shares-table.ts'

/** Shares that are neither revoked nor over, of all users. */
export async function countLiveShares(db: SiteDb, now: Date): Promise<number> {
  const row = await db
    .selectFrom('share')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now.toISOString())]))
    .where((eb) => eb.or([eb('maxViews', 'is', null), eb('views', '<', eb.ref('maxViews'))]))
    .where(isAboutSomething)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Counts a view by one statement, so that visitors who come at once cannot exceed the limit. False if none is left. */
export async function updateViews(db: SiteDb, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set((row) => ({ views: row('views', '+', 1) }))
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now.toISOString())]))
    .where((eb) => eb.or([eb('maxViews', 'is', null), eb('views', '<', eb.ref('maxViews'))]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** What a visitor has taken back counts no more. */
export async function uncountUpload(db: SiteDb, id: string): Promise<void> {
  await db
    .updateTable('share')
    .set((row) => ({ uploads: row('uploads', '-', 1) }))
    .where('id', '=', id)
    .where('uploads', '>', 0)
    .execute()
}

/** Counts an upload in the same way. */
export async function updateUploads(db: SiteDb, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set((row) => ({ uploads: row('uploads', '+', 1) }))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('maxUploads', 'is', null), eb('uploads', '<', eb.ref('maxUploads'))]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
