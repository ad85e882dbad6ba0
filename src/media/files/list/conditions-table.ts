import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { SiteTables } from '../../../db/index.ts'
import { isListedTo, isOwn, type Visibility } from '../../visibility-table.ts'
import { isLive, isUnexpired } from '../files-table.ts'
import type { FileSelection, Orientation } from './file-selection.ts'

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>
type Condition = Expression<SqlBool>

/** Files of a list: those that the caller may list and that the selection chooses. */
export const fileConditions =
  (selection: FileSelection, visibility: Visibility, now: string) => (eb: FileExpressions) =>
    eb.and([...seenConditions(selection, visibility, now)(eb), ...chosenConditions(selection)(eb)])

/** The trash is seen by owners, administrators and managers. */
const seenConditions =
  ({ isTrashed }: FileSelection, visibility: Visibility, now: string) =>
  (eb: FileExpressions): Condition[] =>
    isTrashed
      ? [isOwn(visibility)(eb), eb('file.deletedAt', 'is not', null), isUnexpired(now)(eb)]
      : [isListedTo(visibility)(eb), isLive(now)(eb)]

const chosenConditions =
  (selection: FileSelection) =>
  (eb: FileExpressions): Condition[] => [
    ...given(selection.albumId, (id) => eb('file.albumId', id === null ? 'is' : '=', id)),
    ...given(selection.userId, (id) => eb('file.userId', '=', id)),
    ...given(selection.type, (type) => eb('file.type', '=', type)),
    ...given(selection.kind, (kind) => eb('file.kind', '=', kind)),
    ...given(selection.tags, (tags) => hasTags(eb, [...new Set(tags)])),
    ...given(selection.categoryId, (id) => eb('file.categoryId', '=', id)),
    ...given(selection.isNsfw, (isNsfw) => eb('file.isNsfw', '=', Number(isNsfw))),
    // A constant, because an index holds those that wait alone.
    ...given(selection.isApproved, (isApproved) => eb('file.isApproved', '=', eb.lit(isApproved ? 1 : 0))),
    ...given(selection.createdAfter, (at) => eb('file.createdAt', '>', at.toISOString())),
    ...given(selection.createdBefore, (at) => eb('file.createdAt', '<', at.toISOString())),
    ...given(selection.dateAfter, (at) => eb('file.date', '>', at.toISOString())),
    ...given(selection.dateBefore, (at) => eb('file.date', '<', at.toISOString())),
    ...given(selection.minSizeBytes, (bytes) => eb('file.sizeBytes', '>=', bytes)),
    ...given(selection.maxSizeBytes, (bytes) => eb('file.sizeBytes', '<=', bytes)),
    ...given(selection.minWidth, (width) => eb('file.width', '>=', width)),
    ...given(selection.orientation, (orientation) =>
      eb('file.width', operators[orientation], eb.ref('file.height')),
    ),
    ...given(selection.ids, (ids) => eb('file.id', 'in', ids)),
  ]

const operators: Readonly<Record<Orientation, '>' | '<' | '='>> = {
  landscape: '>',
  portrait: '<',
  square: '=',
}

const given = <T>(value: T | undefined, condition: (value: T) => Condition): Condition[] =>
  value === undefined ? [] : [condition(value)]

/**
 * Several tags are one join: with one for each, PostgreSQL takes 0.6 s to plan 16 of them, and without statistics 11 s for two
 * that all of 12,000 files have.
 */
const hasTags = (eb: FileExpressions, names: readonly string[]): Condition => {
  const tagged = eb.selectFrom('fileTag').select('fileTag.fileId').where('fileTag.tagName', 'in', names)
  if (names.length === 1) return eb.exists(tagged.whereRef('fileTag.fileId', '=', 'file.id'))
  const withAll = tagged
    .groupBy('fileTag.fileId')
    .having((tag) => tag.fn.countAll<number>(), '=', names.length)
  return eb('file.id', 'in', withAll)
}

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

/**
 * Whole lists, those of an album, a user, a type and a kind, the trash and the queue: most requests. The ids of a share of several
 * files have no place in a prepared statement.
 */
export const isPlain = ({ share }: Visibility, selection: FileSelection): selection is PlainSelection =>
  !share?.fileIds &&
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

/** For one file, a share of several is a share of that file, or gives nothing. */
export function narrowedTo(id: string, visibility: Visibility): Visibility {
  const { fileIds } = visibility.share ?? {}
  if (!fileIds) return visibility
  return { ...visibility, share: fileIds.includes(id) ? { albumId: undefined, fileId: id } : undefined }
}

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
