import { prepare, requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'
import { isLive } from '../files/files-table.ts'

/** A picture that was derived from a stored one. */
export type DerivedRow = SiteTables['derived']

export const keyOfDerived = ({ id, extension }: Pick<DerivedRow, 'id' | 'extension'>): string =>
  `${derivedFolder}/${id}.${extension}`

const derivedFolder = 'derived'
const keyForm = /^derived\/([A-Za-z0-9]{1,64})\.[a-z]{3,4}$/

/** The id in a storage key; undefined for keys of others. */
export const derivedIdOf = (key: string): string | undefined => keyForm.exec(key)?.[1]

interface Wanted {
  fileId: string
  keyRevision: number
  options: string
}

const byOptions = prepare<keyof Wanted, DerivedRow>((db, { fileId, keyRevision, options }) =>
  db
    .selectFrom('derived')
    .selectAll()
    .where('fileId', '=', fileId)
    .where('keyRevision', '=', keyRevision)
    .where('options', '=', options),
)

export async function findDerived(db: SiteDb, wanted: Wanted): Promise<DerivedRow | undefined> {
  const [row] = await byOptions.rows(db, { ...wanted })
  return row
}

/** Synchronous variant: undefined if the row cannot be read without waiting, or is not there. */
export const findDerivedSync = (db: SiteDb, wanted: Wanted): DerivedRow | undefined =>
  byOptions.rowsSync(db, { ...wanted })?.[0]

export async function insertDerivedRow(db: SiteDb, row: DerivedRow): Promise<void> {
  await db.insertInto('derived').values(row).execute()
  requestSync(db)
}

export const derivedOfIds = (db: SiteDb, ids: readonly string[]): Promise<DerivedRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.selectFrom('derived').selectAll().where('id', 'in', ids).execute()

/** Those of files, of whatever revision. */
export const deleteDerivedOfFiles = (db: SiteDb, fileIds: readonly string[]): Promise<DerivedRow[]> =>
  db.deleteFrom('derived').where('fileId', 'in', fileIds).returningAll().execute()

/** Some files of a user of which pictures are derived, with every call until none is left. */
export async function idsWithDerived(db: SiteDb, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('derived')
    .innerJoin('file', 'file.id', 'derived.fileId')
    .select('derived.fileId')
    .distinct()
    .where('file.userId', '=', userId)
    .limit(500)
    .execute()
  return rows.map(({ fileId }) => fileId)
}

export const deleteDerivedOfIds = (db: SiteDb, ids: readonly string[]): Promise<DerivedRow[]> =>
  db.deleteFrom('derived').where('id', 'in', ids).returningAll().execute()

/** The revision in the storage key of a file that is served now; undefined if it is not. */
export async function findServedRevision(db: SiteDb, fileId: string, now: Date): Promise<number | undefined> {
  const row = await db
    .selectFrom('file')
    .select('keyRevision')
    .where('id', '=', fileId)
    .where(isLive(now.toISOString()))
    .executeTakeFirst()
  return row?.keyRevision
}

/** The longest unused ones, but for the newest. */
export const longestUnused = (
  db: SiteDb,
  { besides, limit }: { besides: string; limit: number },
): Promise<Pick<DerivedRow, 'id' | 'sizeBytes'>[]> =>
  db
    .selectFrom('derived')
    .select(['id', 'sizeBytes'])
    .where('id', '<>', besides)
    .orderBy('usedAt')
    .orderBy('id')
    .limit(limit)
    .execute()

export async function updateUsed(db: SiteDb, ids: readonly string[], at: Date): Promise<void> {
  await db
    .updateTable('derived')
    .set({ usedAt: at.toISOString() })
    .where('id', 'in', ids)
    .where('usedAt', '<', at.toISOString())
    .execute()
}

export async function countDerived(db: SiteDb): Promise<number> {
  const { count } = await db
    .selectFrom('derived')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
