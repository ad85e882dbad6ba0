import type { SiteDb, SiteTables } from '../../db/index.ts'
import type { StoredVariant } from '../stored-file.ts'

/** What jobs need to know of a file. */
export interface KeptFile extends Pick<SiteTables['file'], (typeof columns)[number]> {
  versions: readonly StoredVariant[]
}

const columns = ['id', 'folder', 'extension', 'sizeBytes', 'md5', 'storedBytes', 'views', 'likes'] as const

/** Those whose time has been over the longest. */
export async function expiredFiles(db: SiteDb, now: Date, limit: number): Promise<KeptFile[]> {
  const rows = await kept(db)
    .where('expiresAt', '<=', now.toISOString())
    .orderBy('expiresAt')
    .limit(limit)
    .execute()
  return rows.map(fileOfRow)
}

export async function filesAfter(db: SiteDb, id: string, limit: number): Promise<KeptFile[]> {
  const rows = await kept(db).where('id', '>', id).orderBy('id').limit(limit).execute()
  return rows.map(fileOfRow)
}

export async function filesOfIds(db: SiteDb, ids: readonly string[]): Promise<KeptFile[]> {
  if (ids.length === 0) return []
  const rows = await kept(db).where('id', 'in', ids).execute()
  return rows.map(fileOfRow)
}

/** What they had when they went; those that were gone already are not told. */
export async function deleteFileRows(db: SiteDb, ids: readonly string[]): Promise<KeptFile[]> {
  const rows = await db
    .deleteFrom('file')
    .where('id', 'in', ids)
    .returning([...columns, 'variants'])
    .execute()
  return rows.map(fileOfRow)
}

const kept = (db: SiteDb) => db.selectFrom('file').select([...columns, 'variants'])

function fileOfRow({ variants, ...row }: Omit<KeptFile, 'versions'> & { variants: string }): KeptFile {
  const { variants: versions } = JSON.parse(variants) as { variants: readonly StoredVariant[] }
  return { ...row, versions }
}
