import type { ExpressionBuilder } from 'kysely'
import type { SiteDb, SiteTables } from '../../db/index.ts'
import { isLive } from '../files/files-table.ts'
import { albumPatterns } from '../search/match-texts.ts'
import type { SearchQuery } from '../search/search-query.ts'
import { isVisibleTo, type Visibility } from '../visibility.ts'
import { type Album, albumColumns, albumOfRow } from './albums-table.ts'

/** An album with what the caller sees of its files. */
export interface SeenAlbum extends Album {
  username: string
  fileCount: number
  sizeBytes: number
  isLiked: boolean
}

type AlbumExpressions = ExpressionBuilder<SiteTables, 'album'>

/** Albums that lists contain for this caller: their own, and public ones of others if others are listed. */
export const isListedAlbum = (visibility: Visibility) => (eb: AlbumExpressions) =>
  seen(visibility, eb, () => (visibility.listsOthers ? eb('album.privacy', '=', 'public') : eb.lit(false)))

/** Albums that this caller sees by id: those with the privacy `public` or `link` are seen by every caller who knows the id. */
const isVisibleAlbum = (visibility: Visibility) => (eb: AlbumExpressions) =>
  seen(visibility, eb, () => eb('album.privacy', 'in', ['public', 'link']))

function seen(
  visibility: Visibility,
  eb: AlbumExpressions,
  others: () => ReturnType<AlbumExpressions['and']>,
) {
  if (visibility.seesAll) return eb.lit(true)
  const own = visibility.userId === undefined ? undefined : eb('album.userId', '=', visibility.userId)
  const seenAlbums = own ? eb.or([own, others()]) : others()
  const reached =
    visibility.albumId === undefined
      ? seenAlbums
      : eb.and([eb('album.id', '=', visibility.albumId), seenAlbums])
  const shared = visibility.share?.albumId
  return shared === undefined ? reached : eb.or([reached, eb('album.id', '=', shared)])
}

const isFoundAlbum = (query: SearchQuery) => (eb: AlbumExpressions) => {
  const { included, excluded } = albumPatterns(query)
  const isLike = (pattern: string) => eb('album.words', 'like', pattern)
  return eb.and([
    ...included.map(isLike),
    ...excluded.map((patterns) => eb.not(eb.and(patterns.map(isLike)))),
  ])
}

export type AlbumListSort = 'createdAt' | 'titleSort' | 'views' | 'likes'

export interface AlbumFilter {
  userId: string | undefined
  /** Null for albums that are below no other. */
  parentId: string | null | undefined
  /** Found by these words in title and description. */
  query?: SearchQuery | undefined
}

/** The last album of a page: the next page begins after it. */
export interface AlbumPosition {
  value: string | number
  id: string
}

interface AlbumPage {
  sort: AlbumListSort
  isDescending: boolean
  after: AlbumPosition | undefined
  limit: number
}

/** An album of a page: after its position the next page begins. */
export type WithPosition<A> = A & { position: AlbumPosition }

export async function albumsAfter(
  db: SiteDb,
  visibility: Visibility,
  filter: AlbumFilter,
  { sort, isDescending, after, limit }: AlbumPage,
): Promise<WithPosition<Album>[]> {
  const [direction, beyond] = isDescending ? (['desc', '<'] as const) : (['asc', '>'] as const)
  let query = db
    .selectFrom('album')
    .select(albumColumns)
    .select((eb) => eb.ref(sort).as('sortValue'))
    .where(isChosen(visibility, filter))
  if (after)
    query = query.where((eb) => eb(eb.refTuple(sort, 'id'), beyond, eb.tuple(after.value, after.id) as never))
  const rows = await query.orderBy(sort, direction).orderBy('id', direction).limit(limit).execute()
  return rows.map(({ sortValue: value, ...row }) => ({
    ...albumOfRow(row),
    position: { value, id: row.id },
  }))
}

/** Counts the albums of a list, but no further than `most`. */
export async function countAlbumsUpTo(
  db: SiteDb,
  visibility: Visibility,
  filter: AlbumFilter,
  most: number,
): Promise<number> {
  const row = await db
    .selectFrom((eb) =>
      eb.selectFrom('album').select('album.id').where(isChosen(visibility, filter)).limit(most).as('counted'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

const isChosen =
  (visibility: Visibility, { userId, parentId, query }: AlbumFilter) =>
  (eb: AlbumExpressions) =>
    eb.and([
      isListedAlbum(visibility)(eb),
      ...(userId === undefined ? [] : [eb('album.userId', '=', userId)]),
      ...(parentId === undefined ? [] : [eb('album.parentId', parentId === null ? 'is' : '=', parentId)]),
      ...(query ? [isFoundAlbum(query)(eb)] : []),
    ])

export async function findVisibleAlbum(
  db: SiteDb,
  visibility: Visibility,
  id: string,
): Promise<Album | undefined> {
  const row = await db
    .selectFrom('album')
    .select(albumColumns)
    .where('id', '=', id)
    .where(isVisibleAlbum(visibility))
    .executeTakeFirst()
  return row && albumOfRow(row)
}

/** Adds owners, likes and the files that the caller sees. A cover that is gone counts as none. */
export async function withContents<A extends Album>(
  db: SiteDb,
  visibility: Visibility,
  { albums, now }: { albums: readonly A[]; now: Date },
): Promise<(A & SeenAlbum)[]> {
  if (albums.length === 0) return []
  const ids = albums.map(({ id }) => id)
  const sums = await db
    .selectFrom('file')
    .select((eb) => [
      'albumId',
      eb.fn.countAll<number>().as('files'),
      eb.fn.sum<number | string>('sizeBytes').as('sizeBytes'),
    ])
    .where('albumId', 'in', ids)
    .where(isLive(now.toISOString()))
    .where(isVisibleTo(visibility))
    .groupBy('albumId')
    .execute()
  const users = await db
    .selectFrom('user')
    .select(['id', 'username'])
    .where('id', 'in', [...new Set(albums.map(({ userId }) => userId))])
    .execute()
  const covers = await coversOf(db, { albums, visibility, now })
  const liked = await likedAlbums(db, ids, visibility.userId)
  const sumsOf = new Map(sums.map((sum) => [sum.albumId, sum]))
  const names = new Map(users.map(({ id, username }) => [id, username]))
  return albums.map((album) => ({
    ...album,
    username: names.get(album.userId) ?? '',
    fileCount: sumsOf.get(album.id)?.files ?? 0,
    sizeBytes: Number(sumsOf.get(album.id)?.sizeBytes ?? 0),
    isLiked: liked.has(album.id),
    coverFileId: covers.has(album.coverFileId ?? '') ? album.coverFileId : undefined,
  }))
}

async function coversOf(
  db: SiteDb,
  { albums, visibility, now }: { albums: readonly Album[]; visibility: Visibility; now: Date },
): Promise<Set<string>> {
  const ids = albums.flatMap(({ coverFileId }) => coverFileId ?? [])
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('file')
    .select('id')
    .where('id', 'in', ids)
    .where(isLive(now.toISOString()))
    .where(isVisibleTo(visibility))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

async function likedAlbums(
  db: SiteDb,
  ids: readonly string[],
  userId: string | undefined,
): Promise<Set<string>> {
  if (userId === undefined) return new Set()
  const rows = await db
    .selectFrom('albumLike')
    .select('albumId')
    .where('albumId', 'in', ids)
    .where('userId', '=', userId)
    .execute()
  return new Set(rows.map(({ albumId }) => albumId))
}

/** Whether a file is in one of these albums. */
export async function hasFileIn(
  db: SiteDb,
  id: string,
  { albumIds, now }: { albumIds: readonly string[]; now: Date },
): Promise<boolean> {
  const row = await db
    .selectFrom('file')
    .select('id')
    .where('id', '=', id)
    .where('albumId', 'in', albumIds)
    .where(isLive(now.toISOString()))
    .executeTakeFirst()
  return row !== undefined
}
