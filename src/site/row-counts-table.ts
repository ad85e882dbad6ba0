import type { SiteDb } from '../db/index.ts'
import type { Totals } from './totals-table.ts'
import type { UserTotals } from './user-totals-table.ts'

/** Every total that can be counted from rows; the time that jobs took cannot. */
export async function countRows(db: SiteDb): Promise<Omit<Totals, 'cronTime'>> {
  const files = await sumFiles(db)
  const albums = await sumAlbums(db)
  return {
    ...files,
    ...albums,
    users: await countUsers(db),
    admins: await countUsers(db, 'admin'),
    managers: await countUsers(db, 'manager'),
    tags: await countOf(db, 'tag'),
    categories: await countOf(db, 'category'),
    pages: await countOf(db, 'page'),
    storages: await countOf(db, 'storage'),
    loginProviders: await countProviders(db),
    derivedBytes: await sumDerived(db),
  }
}

async function countOf(db: SiteDb, table: 'tag' | 'category' | 'page' | 'storage'): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

async function countUsers(db: SiteDb, role?: 'admin' | 'manager'): Promise<number> {
  const query = db.selectFrom('user').select((eb) => eb.fn.countAll<number>().as('count'))
  const row = await (role ? query.where('role', '=', role) : query).executeTakeFirstOrThrow()
  return row.count
}

async function countProviders(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('loginProvider')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('isEnabled', '=', 1)
    .executeTakeFirstOrThrow()
  return row.count
}

async function sumDerived(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('derived')
    .select((eb) => eb.fn.sum<number | null>('sizeBytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(row.bytes ?? 0)
}

/** Files in the trash, and earlier revisions of others, take storage but count as no files. */
async function sumFiles(db: SiteDb) {
  const earlier = await db
    .selectFrom('fileRevision')
    .select((eb) => eb.fn.sum<number | null>('storedBytes').as('storageUsed'))
    .executeTakeFirstOrThrow()
  const row = await db
    .selectFrom('file')
    .select((eb) => [
      // Files in the trash count as storage alone.
      eb.fn.countAll<number>().filterWhere('deletedAt', 'is', null).as('files'),
      eb.fn.sum<number | null>('storedBytes').as('storageUsed'),
      eb.fn.sum<number | null>('views').as('fileViews'),
      eb.fn.sum<number | null>('likes').as('fileLikes'),
    ])
    .executeTakeFirstOrThrow()
  return {
    files: row.files,
    storageUsed: Number(row.storageUsed ?? 0) + Number(earlier.storageUsed ?? 0),
    fileViews: Number(row.fileViews ?? 0),
    fileLikes: Number(row.fileLikes ?? 0),
  }
}

async function sumAlbums(db: SiteDb) {
  const row = await db
    .selectFrom('album')
    .select((eb) => [
      eb.fn.countAll<number>().as('albums'),
      eb.fn.sum<number | null>('views').as('albumViews'),
      eb.fn.sum<number | null>('likes').as('albumLikes'),
    ])
    .executeTakeFirstOrThrow()
  return {
    albums: row.albums,
    albumViews: Number(row.albumViews ?? 0),
    albumLikes: Number(row.albumLikes ?? 0),
  }
}

/** What each user owns who has files, by user. */
export async function countRowsOfUsers(db: SiteDb): Promise<Map<string, UserTotals>> {
  const files = await db
    .selectFrom('file')
    .select((eb) => [
      eb.ref('userId').$notNull().as('userId'),
      eb.fn.countAll<number>().filterWhere('deletedAt', 'is', null).as('files'),
      eb.fn.sum<number>('storedBytes').as('storageUsed'),
    ])
    .where('userId', 'is not', null)
    .groupBy('userId')
    .execute()
  const earlier = await db
    .selectFrom('fileRevision')
    .innerJoin('file', 'file.id', 'fileRevision.fileId')
    .select((eb) => [
      eb.ref('file.userId').$notNull().as('userId'),
      eb.fn.sum<number>('fileRevision.storedBytes').as('storageUsed'),
    ])
    .where('file.userId', 'is not', null)
    .groupBy('file.userId')
    .execute()
  const ofRevisions = new Map(earlier.map(({ userId, storageUsed }) => [userId, Number(storageUsed)]))
  return new Map(
    files.map(({ userId, files, storageUsed }) => [
      userId,
      { files: Number(files), storageUsed: Number(storageUsed) + (ofRevisions.get(userId) ?? 0) },
    ]),
  )
}
