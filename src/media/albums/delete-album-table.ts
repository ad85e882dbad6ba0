import type { SiteDb } from '../../db/index.ts'
import { recountedById } from '../../site/index.ts'
import { purgingHidden } from '../purges/hidden-files-table.ts'
import { findAlbum, hidingPrivacies } from './albums-table.ts'

/**
 * Deletes an album and returns its counts. Its files stay without an album, its sub-albums below the album above it; its
 * shares end. Files that the album's privacy or password protected become private themselves.
 */
export async function deleteAlbumRow(
  db: SiteDb,
  id: string,
  at: Date,
): Promise<{ files: number; views: number; likes: number } | undefined> {
  const album = await findAlbum(db, id)
  if (!album) return undefined
  const isHiding = hidingPrivacies.includes(album.privacy)
  const updatedAt = at.toISOString()
  const files = await takeFilesOut(db, id, { updatedAt, ...(isHiding && { isPrivate: 1 }) })
  await db
    .updateTable('album')
    .set((row) => ({ parentId: album.parentId ?? null, version: row('version', '+', 1), updatedAt }))
    .where('parentId', '=', id)
    .execute()
  await db
    .updateTable('share')
    .set({ revokedAt: updatedAt })
    .where('albumId', '=', id)
    .where('revokedAt', 'is', null)
    .execute()
  const deleted = await db
    .deleteFrom('album')
    .where('id', '=', id)
    .returning(['views', 'likes'])
    .executeTakeFirst()
  return deleted && { ...deleted, files }
}

const takenAtOnce = 500

/** Takes all files out of an album; returns how many. */
async function takeFilesOut(
  db: SiteDb,
  albumId: string,
  change: { updatedAt: string; isPrivate?: number },
): Promise<number> {
  for (let taken = 0; ; ) {
    const rows = await db
      .selectFrom('file')
      .select('id')
      .where('albumId', '=', albumId)
      .limit(takenAtOnce)
      .execute()
    const ids = rows.map(({ id }) => id)
    if (ids.length === 0) return taken
    const take = () =>
      db
        .updateTable('file')
        .set((row) => ({ ...change, albumId: null, version: row('version', '+', 1) }))
        .where('id', 'in', ids)
        .execute()
    await purgingHidden(db, ids, () => recountedById(db, ids, take))
    taken += ids.length
  }
}
