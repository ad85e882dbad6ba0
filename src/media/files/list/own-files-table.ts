import type { SiteDb } from '../../../db/index.ts'
import { isOwn, type Visibility } from '../../visibility-table.ts'
import { fileOfRow, isLive } from '../files-table.ts'
import type { StoredFile } from '../stored-file.ts'

/** Whether the file is one that the caller may change. */
export async function isFileOf(
  db: SiteDb,
  visibility: Visibility,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const row = await db
    .selectFrom('file')
    .select('file.id')
    .where('file.id', '=', id)
    .where(isLive(now.toISOString()))
    .where(isOwn(visibility))
    .executeTakeFirst()
  return row !== undefined
}

/** Files of an album that are not in the trash, expired or not. */
export async function filesOfAlbum(db: SiteDb, albumId: string, limit: number): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('file')
    .selectAll()
    .where('albumId', '=', albumId)
    .where('deletedAt', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(fileOfRow)
}
