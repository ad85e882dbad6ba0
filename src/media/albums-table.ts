import type { SiteDb, SiteTables } from '../db/index.ts'

export type Privacy = SiteTables['album']['privacy']

export interface Album {
  id: string
  userId: string
  title: string
  privacy: Privacy
  createdAt: Date
}

export interface ListedAlbum extends Album {
  files: number
}

export async function insertAlbum(
  db: SiteDb,
  album: Album & { passwordHash: string | undefined },
): Promise<void> {
  const at = album.createdAt.toISOString()
  await db
    .insertInto('album')
    .values({
      ...{ id: album.id, userId: album.userId, title: album.title, privacy: album.privacy },
      ...{ parentId: null, description: null, passwordHash: album.passwordHash ?? null },
      ...{ views: 0, likes: 0, createdAt: at, updatedAt: at },
    })
    .execute()
}

export async function findAlbum(db: SiteDb, id: string): Promise<Album | undefined> {
  const row = await albums(db).where('id', '=', id).executeTakeFirst()
  return row && albumOfRow(row)
}

/** Nothing where the album has none. */
export async function findAlbumPassword(db: SiteDb, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('album').select('passwordHash').where('id', '=', id).executeTakeFirst()
  return row?.passwordHash ?? undefined
}

/** With what they hold; files whose time is over count until they are removed. */
export async function allAlbums(db: SiteDb): Promise<ListedAlbum[]> {
  const rows = await albums(db).orderBy('createdAt').orderBy('id').execute()
  const counts = await db
    .selectFrom('file')
    .select((eb) => ['albumId', eb.fn.countAll<number>().as('files')])
    .where('albumId', 'is not', null)
    .groupBy('albumId')
    .execute()
  const filesOf = new Map(counts.map(({ albumId, files }) => [albumId, files]))
  return rows.map((row) => ({ ...albumOfRow(row), files: filesOf.get(row.id) ?? 0 }))
}

export async function albumIdsOfUser(db: SiteDb, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('album').select('id').where('userId', '=', userId).execute()
  return rows.map(({ id }) => id)
}

type AlbumEdit = Pick<Album, 'title' | 'privacy'> & { passwordHash: string | undefined }

export async function updateAlbum(db: SiteDb, id: string, edit: AlbumEdit, at: Date): Promise<void> {
  const { title, privacy, passwordHash = null } = edit
  await db
    .updateTable('album')
    .set({ title, privacy, passwordHash, updatedAt: at.toISOString() })
    .where('id', '=', id)
    .execute()
}

/** What it had when it went. Files stay without an album, and albums inside it without one above them. */
export async function deleteAlbumRow(
  db: SiteDb,
  id: string,
): Promise<{ files: number; views: number; likes: number } | undefined> {
  const { numUpdatedRows: files } = await db
    .updateTable('file')
    .set({ albumId: null })
    .where('albumId', '=', id)
    .executeTakeFirst()
  await db.updateTable('album').set({ parentId: null }).where('parentId', '=', id).execute()
  const gone = await db
    .deleteFrom('album')
    .where('id', '=', id)
    .returning(['views', 'likes'])
    .executeTakeFirst()
  return gone && { ...gone, files: Number(files) }
}

const albums = (db: SiteDb) =>
  db.selectFrom('album').select(['id', 'userId', 'title', 'privacy', 'createdAt'])

const albumOfRow = (row: Omit<Album, 'createdAt'> & { createdAt: string }): Album => ({
  ...{ id: row.id, userId: row.userId, title: row.title, privacy: row.privacy },
  createdAt: new Date(row.createdAt),
})
