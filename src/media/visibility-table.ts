import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { SiteTables } from '../db/index.ts'
import { isOpenToLists } from '../site/index.ts'

/** Which files and albums of a site a caller may see. */
export interface Visibility {
  /** Administrators and managers see everything. */
  seesAll: boolean
  /** The user whose own files are seen whatever their privacy. */
  userId: string | undefined
  /** The only album that the caller's key reaches. */
  albumId: string | undefined
  /** Whether lists contain what others have uploaded, by the setting `listing`. */
  listsOthers: boolean
  /** What an opened share shows, whatever its privacy. */
  share?: SeenShare | undefined
}

export interface SeenShare {
  albumId: string | undefined
  fileId: string | undefined
  /** Several files, at least one. */
  fileIds?: readonly string[]
}

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>
type Condition = Expression<SqlBool>

/**
 * Files that lists contain for this caller: their own, and those of others that are approved, not private, and loose or in a
 * public album.
 */
export const isListedTo = (visibility: Visibility) => (eb: FileExpressions) =>
  orShared(
    visibility,
    eb,
    visibility.listsOthers ? seen(visibility, eb, () => isOpenToLists(eb)) : isOwn(visibility)(eb),
  )

/** Files that this caller may change: the own ones, for administrators and managers all. */
export const isOwn =
  (visibility: Visibility) =>
  (eb: FileExpressions): Condition =>
    // Without a branch for others, so that the index of the user's files serves the list.
    seen(visibility, eb, undefined)

/** Files that this caller sees by id: a loose one, or one in a public or link album, is seen by every caller who knows its id. */
export const isVisibleTo = (visibility: Visibility) => (eb: FileExpressions) =>
  orShared(
    visibility,
    eb,
    seen(visibility, eb, () =>
      eb.and([isOpen(eb), eb.or([eb('file.albumId', 'is', null), isInAlbumOf(eb, ['public', 'link'])])]),
    ),
  )

/** A share of an album leaves out private files, which their owner hides from every other caller; a share of files opens them. */
function orShared({ share }: Visibility, eb: FileExpressions, others: Condition): Condition {
  if (!share) return others
  const { albumId, fileId, fileIds } = share
  if (fileIds) return eb.or([others, eb.and([eb('file.id', 'in', fileIds), eb('file.isApproved', '=', 1)])])
  const shared =
    fileId === undefined
      ? eb.and([eb('file.albumId', '=', albumId ?? ''), isOpen(eb)])
      : eb.and([eb('file.id', '=', fileId), eb('file.isApproved', '=', 1)])
  return eb.or([others, shared])
}

function seen(visibility: Visibility, eb: FileExpressions, others: (() => Condition) | undefined): Condition {
  if (visibility.seesAll) return eb.and([])
  // A key that is bound to an album sees what its user sees there, and nothing else.
  const own = visibility.userId === undefined ? [] : [eb('file.userId', '=', visibility.userId)]
  const seenFiles = eb.or([...own, ...(others ? [others()] : [])])
  return visibility.albumId === undefined
    ? seenFiles
    : eb.and([eb('file.albumId', '=', visibility.albumId), seenFiles])
}

const isOpen = (eb: FileExpressions) => eb.and([eb('file.isPrivate', '=', 0), eb('file.isApproved', '=', 1)])

const isInAlbumOf = (eb: FileExpressions, privacies: readonly SiteTables['album']['privacy'][]) =>
  eb.exists(
    eb
      .selectFrom('album')
      .select('album.id')
      .whereRef('album.id', '=', 'file.albumId')
      .where('album.privacy', 'in', privacies),
  )
