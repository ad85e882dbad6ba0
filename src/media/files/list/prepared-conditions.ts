import type { Sight } from '../../visibility-table.ts'
import { fileConditions } from './file-conditions-table.ts'
import type { FileSelection } from './file-selection.ts'

/** How many statements a cache of prepared ones keeps. */
export const keptStatements = 200

type PlainSelection = Pick<FileSelection, 'albumId' | 'userId' | 'type' | 'kind' | 'isTrashed' | 'isApproved'>

const plainFields: ReadonlySet<string> = new Set([
  'albumId',
  'userId',
  'type',
  'kind',
  'isTrashed',
  'isApproved',
] satisfies (keyof PlainSelection)[])

/** Whole lists, those of an album, a user, a type and a kind, the trash and the queue: most requests. */
export const isPlain = (selection: FileSelection): selection is PlainSelection =>
  Object.entries(selection).every(([name, value]) => value === undefined || plainFields.has(name))

/** Lists of one kind have the same conditions, with other values. */
export interface ListKind {
  sight: Sight
  isTrashed: boolean
  isApproved: boolean | undefined
  /** `none`: files without an album. */
  album: 'any' | 'none' | 'given'
  hasUser: boolean
  hasType: boolean
  hasKind: boolean
}

export type ListValue = SightValue | 'albumId' | 'userId' | 'type' | 'kind' | 'now'

export const listKindOf = (sight: Sight, selection: PlainSelection): ListKind => ({
  sight,
  isTrashed: selection.isTrashed ?? false,
  isApproved: selection.isApproved,
  album: albumKindOf(selection),
  hasUser: selection.userId !== undefined,
  hasType: selection.type !== undefined,
  hasKind: selection.kind !== undefined,
})

function albumKindOf({ albumId }: PlainSelection): ListKind['album'] {
  if (albumId === undefined) return 'any'
  return albumId === null ? 'none' : 'given'
}

export const nameOfKind = (list: ListKind): string =>
  [
    kindOfSight(list.sight),
    list.isTrashed,
    list.isApproved,
    list.album,
    list.hasUser,
    list.hasType,
    list.hasKind,
  ].join()

export const valuesOfList = (now: Date, sight: Sight, selection: PlainSelection) => ({
  ...valuesOfSight(sight),
  albumId: selection.albumId ?? '',
  userId: selection.userId ?? '',
  type: selection.type ?? '',
  kind: selection.kind ?? '',
  now: now.toISOString(),
})

/** The conditions of a list with placeholders for its values. */
export const preparedConditions = (
  { sight, isTrashed, isApproved, album, hasUser, hasType, hasKind }: ListKind,
  values: Readonly<Record<ListValue, never>>,
) =>
  fileConditions(
    {
      isTrashed,
      ...(isApproved !== undefined && { isApproved }),
      ...(album !== 'any' && { albumId: album === 'none' ? null : values.albumId }),
      ...(hasUser && { userId: values.userId }),
      ...(hasType && { type: values.type }),
      ...(hasKind && { kind: values.kind }),
    },
    preparedSight(sight, values),
    values.now,
  )

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
