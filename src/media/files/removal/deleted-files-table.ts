import type { SiteDb, SiteTables } from '../../../db/index.ts'
import { recountedById } from '../../../site/index.ts'
import { purgingHidden } from '../../purges/hidden-files-table.ts'
import type { VariantsColumn } from '../files-table.ts'

const deletedColumns = [
  'id',
  'folder',
  'nameKey',
  'extension',
  'keyRevision',
  'variants',
  'storedBytes',
  'views',
  'likes',
  'expiresAt',
  'deletedAt',
  'originalName',
  'userId',
] as const

type DeletedFile = Omit<Pick<SiteTables['file'], (typeof deletedColumns)[number]>, 'variants'> &
  Pick<VariantsColumn, 'variants'>

/** Returns the rows as they were when they were deleted, without those that were already gone. */
export async function deleteFileRows(db: SiteDb, ids: readonly string[]): Promise<DeletedFile[]> {
  const remove = () => db.deleteFrom('file').where('id', 'in', ids).returning(deletedColumns).execute()
  const rows = await purgingHidden(db, ids, () => recountedById(db, ids, remove))
  return rows.map((row) => ({ ...row, variants: (JSON.parse(row.variants) as VariantsColumn).variants }))
}
