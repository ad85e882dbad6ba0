import type { SiteDb } from '../../db/index.ts'

interface AlbumLike {
  albumId: string
  userId: string
}

/** False if the user likes it already. */
export async function insertAlbumLike(db: SiteDb, like: AlbumLike, at: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('albumLike')
    .values({ ...like, createdAt: at.toISOString() })
    .onConflict((conflict) => conflict.columns(['albumId', 'userId']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** False if there was no like. */
export async function deleteAlbumLike(db: SiteDb, { albumId, userId }: AlbumLike): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('albumLike')
    .where('albumId', '=', albumId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** A like is no edit: the version stays. */
export async function addAlbumLikes(db: SiteDb, id: string, likes: number): Promise<void> {
  await db
    .updateTable('album')
    .set((row) => ({ likes: row('likes', '+', likes) }))
    .where('id', '=', id)
    .execute()
}
