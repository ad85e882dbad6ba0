import type { SiteDb } from '../../../db/index.ts'

interface FileLike {
  fileId: string
  userId: string
}

/** False if the user likes the file already. */
export async function insertLike(db: SiteDb, like: FileLike, at: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('fileLike')
    .values({ ...like, createdAt: at.toISOString() })
    .onConflict((conflict) => conflict.columns(['fileId', 'userId']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** False if the user did not like the file. */
export async function deleteLike(db: SiteDb, { fileId, userId }: FileLike): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('fileLike')
    .where('fileId', '=', fileId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** A like is no edit: the version stays. */
export async function addToLikes(db: SiteDb, id: string, by: number): Promise<void> {
  await db
    .updateTable('file')
    .set((row) => ({ likes: row('likes', '+', by) }))
    .where('id', '=', id)
    .execute()
}
