import type { SiteDb } from '../../../db/index.ts'
import { isLive } from '../../files/files-table.ts'
import { isVisibleTo, type Visibility } from '../../visibility-table.ts'

/** For each album the newest file in it that the caller sees. */
export async function newestFilesOf(
  db: SiteDb,
  visibility: Visibility,
  { albumIds, now }: { albumIds: readonly string[]; now: Date },
): Promise<Map<string, string>> {
  if (albumIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('album')
    .select((eb) => [
      'album.id',
      eb
        .selectFrom('file')
        .select('file.id')
        .whereRef('file.albumId', '=', 'album.id')
        .where(isLive(now.toISOString()))
        .where(isVisibleTo(visibility))
        .orderBy('file.createdAt', 'desc')
        .orderBy('file.id', 'desc')
        .limit(1)
        .as('fileId'),
    ])
    .where('album.id', 'in', albumIds)
    .execute()
  return new Map(rows.flatMap(({ id, fileId }) => (fileId === null ? [] : [[id, fileId] as const])))
}
