import type { Sight } from '../../sight-table.ts'

/** The values of a sight in a prepared statement. */
export type SightValue = 'sightUserId' | 'sightAlbumId' | 'sharedId'

/** Sights of one kind have the same statement, with other values. */
export function kindOfSight({ seesAll, userId, albumId, listsOthers, share }: Sight): string {
  const shared = share && (share.fileId === undefined ? 'album' : 'file')
  return [seesAll, userId !== undefined, albumId !== undefined, listsOthers, shared].join()
}

export const valuesOfSight = ({ userId = '', albumId = '', share }: Sight) => ({
  sightUserId: userId,
  sightAlbumId: albumId,
  sharedId: share?.fileId ?? share?.albumId ?? '',
})

/** The sight with placeholders for its values. */
export function preparedSight(sight: Sight, values: Readonly<Record<SightValue, never>>): Sight {
  const isOfFile = sight.share?.fileId !== undefined
  return {
    ...sight,
    userId: sight.userId === undefined ? undefined : values.sightUserId,
    albumId: sight.albumId === undefined ? undefined : values.sightAlbumId,
    share: sight.share && {
      albumId: isOfFile ? undefined : values.sharedId,
      fileId: isOfFile ? values.sharedId : undefined,
    },
  }
}
