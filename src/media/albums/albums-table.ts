import { prepare, type SiteDb, type SiteTables } from '../../db/index.ts'
import { recounted } from '../../site/index.ts'
import { isLive } from '../files/files-table.ts'
import { purgeOpen } from '../purges/hidden-files-table.ts'
import { albumTexts } from '../search/match-texts.ts'
import { isVisibleTo, type Visibility } from '../visibility-table.ts'

export type Privacy = SiteTables['album']['privacy']

export interface Album {
  id: string
  userId: string
  parentId: string | undefined
  title: string
  description: string | undefined
  privacy: Privacy
  /** The file that stands for the album; undefined: the newest one. */
  coverFileId: string | undefined
  /** How pages and programs order its files. */
  sort: string
  views: number
  likes: number
  createdAt: Date
  updatedAt: Date
  version: number
}

export interface ListedAlbum extends Album {
  files: number
}

export async function insertAlbum(
  db: SiteDb,
  { passwordHash, ...album }: Album & { passwordHash: string | undefined },
): Promise<void> {
  await db
    .insertInto('album')
    .values({
      ...album,
      parentId: album.parentId ?? null,
      description: album.description ?? null,
      coverFileId: album.coverFileId ?? null,
      passwordHash: passwordHash ?? null,
      createdAt: album.createdAt.toISOString(),
      updatedAt: album.updatedAt.toISOString(),
      ...albumTexts(album.title, album.description),
    })
    .execute()
}

export async function findAlbum(db: SiteDb, id: string): Promise<Album | undefined> {
  const row = await albums(db).where('id', '=', id).executeTakeFirst()
  return row && albumOfRow(row)
}

/** The hash of the album's password, if it has one. */
export async function findAlbumPassword(db: SiteDb, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('album').select('passwordHash').where('id', '=', id).executeTakeFirst()
  return row?.passwordHash ?? undefined
}

/** All albums with their number of files, including expired files that are not removed yet. */
export async function allAlbums(db: SiteDb): Promise<ListedAlbum[]> {
  const rows = await albums(db).orderBy('createdAt').orderBy('id').execute()
  const counts = await db
    .selectFrom('file')
    .select((eb) => ['albumId', eb.fn.countAll<number>().as('files')])
    .where('albumId', 'is not', null)
    .where('deletedAt', 'is', null)
    .groupBy('albumId')
    .execute()
  const fileCounts = new Map(counts.map(({ albumId, files }) => [albumId, files]))
  return rows.map((row) => ({ ...albumOfRow(row), files: fileCounts.get(row.id) ?? 0 }))
}

export async function albumIdsOfUser(db: SiteDb, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('album').select('id').where('userId', '=', userId).execute()
  return rows.map(({ id }) => id)
}

/** Titles of a user's albums, those changed last first. */
export const titlesOfUser = (
  db: SiteDb,
  userId: string,
  limit: number,
): Promise<readonly { id: string; title: string }[]> => userTitles.rows(db, { userId, limit })

const userTitles = prepare((db, { userId, limit }: Record<'userId' | 'limit', never>) =>
  db
    .selectFrom('album')
    .select(['id', 'title'])
    .where('userId', '=', userId)
    .orderBy('updatedAt', 'desc')
    .orderBy('id')
    .limit(limit),
)

/** The albums right below these. */
export async function albumsBelow(db: SiteDb, ids: readonly string[]): Promise<Album[]> {
  if (ids.length === 0) return []
  const rows = await albums(db).where('parentId', 'in', ids).execute()
  return rows.map(albumOfRow)
}

export const updateAlbum = (db: SiteDb, album: Album, passwordHash: string | undefined): Promise<void> =>
  recountedIfOpened(db, [album.id], album.privacy, () => updateAlbumRow(db, album, passwordHash))

/** Of these albums, files are hidden from everybody who has no pass. */
export const hidingPrivacies: readonly Privacy[] = ['private', 'password']

/** Files of an album are in the lists of everyone while it is public. Caches must forget those that it hides from now on. */
async function recountedIfOpened(
  db: SiteDb,
  ids: readonly string[],
  privacy: Privacy,
  change: () => Promise<void>,
): Promise<void> {
  if (hidingPrivacies.includes(privacy)) await purgeOpen(db, (eb) => eb('file.albumId', 'in', ids))
  const changed = await db
    .selectFrom('album')
    .select('id')
    .where('id', 'in', ids)
    .where('privacy', privacy === 'public' ? '<>' : '=', 'public')
    .execute()
  const changedIds = changed.map(({ id }) => id)
  if (changedIds.length === 0) return change()
  await recounted(db, (eb) => eb('file.albumId', 'in', changedIds), change)
}

async function updateAlbumRow(db: SiteDb, album: Album, passwordHash: string | undefined): Promise<void> {
  const { title, privacy, sort, version } = album
  await db
    .updateTable('album')
    .set({
      title,
      privacy,
      sort,
      version,
      passwordHash: passwordHash ?? null,
      parentId: album.parentId ?? null,
      description: album.description ?? null,
      coverFileId: album.coverFileId ?? null,
      updatedAt: album.updatedAt.toISOString(),
      ...albumTexts(title, album.description),
    })
    .where('id', '=', album.id)
    .execute()
}

/** Gives albums the privacy of the album above them. */
export async function updatePrivacies(
  db: SiteDb,
  ids: readonly string[],
  {
    privacy,
    passwordHash = null,
    at,
  }: { privacy: Privacy; passwordHash?: string | undefined | null; at: Date },
): Promise<void> {
  if (ids.length === 0) return
  await recountedIfOpened(db, ids, privacy, async () => {
    await db
      .updateTable('album')
      .set((row) => ({ privacy, passwordHash, version: row('version', '+', 1), updatedAt: at.toISOString() }))
      .where('id', 'in', ids)
      .execute()
  })
}

/** Ends every signed address of the files in these albums. */
export async function raiseAddressVersions(db: SiteDb, albumIds: readonly string[]): Promise<void> {
  if (albumIds.length === 0) return
  await db
    .updateTable('file')
    .set((row) => ({ addressVersion: row('addressVersion', '+', 1) }))
    .where('albumId', 'in', albumIds)
    .execute()
}

/** Adds views to each of these albums; returns how many of them exist. */
export async function addAlbumViews(db: SiteDb, ids: readonly string[], views: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('album')
    .set((row) => ({ views: row('views', '+', views) }))
    .where('id', 'in', ids)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export const albumColumns = [
  'id',
  'userId',
  'parentId',
  'title',
  'description',
  'privacy',
  'coverFileId',
  'sort',
  'views',
  'likes',
  'createdAt',
  'updatedAt',
  'version',
] as const

const albums = (db: SiteDb) => db.selectFrom('album').select(albumColumns)

export const albumOfRow = (row: Pick<SiteTables['album'], (typeof albumColumns)[number]>): Album => ({
  ...row,
  parentId: row.parentId ?? undefined,
  description: row.description ?? undefined,
  coverFileId: row.coverFileId ?? undefined,
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
})

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
