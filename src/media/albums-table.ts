import type { SiteDb, SiteTables } from '../db/index.ts'

export type Privacy = SiteTables['album']['privacy']

export interface Album {
  id: string
  userId: string
  title: string
  privacy: Privacy
  createdAt: Date
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

export async function allAlbums(db: SiteDb): Promise<Album[]> {
  const rows = await albums(db).orderBy('createdAt').orderBy('id').execute()
  return rows.map(albumOfRow)
}

const albums = (db: SiteDb) =>
  db.selectFrom('album').select(['id', 'userId', 'title', 'privacy', 'createdAt'])

const albumOfRow = (row: Omit<Album, 'createdAt'> & { createdAt: string }): Album => ({
  ...{ id: row.id, userId: row.userId, title: row.title, privacy: row.privacy },
  createdAt: new Date(row.createdAt),
})
