import type { Visibility } from '../../visibility-table.ts'
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
  visibility: Visibility
  isTrashed: boolean
  isApproved: boolean | undefined
  /** `none`: files without an album. */
  album: 'any' | 'none' | 'given'
  hasUser: boolean
  hasType: boolean
  hasKind: boolean
}

export type ListValue = VisibilityValue | 'albumId' | 'userId' | 'type' | 'kind' | 'now'

export const listKindOf = (visibility: Visibility, selection: PlainSelection): ListKind => ({
  visibility,
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
    kindOfVisibility(list.visibility),
    list.isTrashed,
    list.isApproved,
    list.album,
    list.hasUser,
    list.hasType,
    list.hasKind,
  ].join()

export const valuesOfList = (now: Date, visibility: Visibility, selection: PlainSelection) => ({
  ...valuesOfVisibility(visibility),
  albumId: selection.albumId ?? '',
  userId: selection.userId ?? '',
  type: selection.type ?? '',
  kind: selection.kind ?? '',
  now: now.toISOString(),
})

/** The conditions of a list with placeholders for its values. */
export const preparedConditions = (
  { visibility, isTrashed, isApproved, album, hasUser, hasType, hasKind }: ListKind,
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
    preparedVisibility(visibility, values),
    values.now,
  )

/** The values of a visibility in a prepared statement. */
export type VisibilityValue = 'visibilityUserId' | 'visibilityAlbumId' | 'sharedId'

/** Visibilities of one kind have the same statement, with other values. */
export function kindOfVisibility({ seesAll, userId, albumId, listsOthers, share }: Visibility): string {
  const shared = share && (share.fileId === undefined ? 'album' : 'file')
  return [seesAll, userId !== undefined, albumId !== undefined, listsOthers, shared].join()
}

export const valuesOfVisibility = ({ userId = '', albumId = '', share }: Visibility) => ({
  visibilityUserId: userId,
  visibilityAlbumId: albumId,
  sharedId: share?.fileId ?? share?.albumId ?? '',
})

/** The visibility with placeholders for its values. */
export function preparedVisibility(
  visibility: Visibility,
  values: Readonly<Record<VisibilityValue, never>>,
): Visibility {
  const isOfFile = visibility.share?.fileId !== undefined
  return {
    ...visibility,
    userId: visibility.userId === undefined ? undefined : values.visibilityUserId,
    albumId: visibility.albumId === undefined ? undefined : values.visibilityAlbumId,
    share: visibility.share && {
      albumId: isOfFile ? undefined : values.sharedId,
      fileId: isOfFile ? values.sharedId : undefined,
    },
  }
}
