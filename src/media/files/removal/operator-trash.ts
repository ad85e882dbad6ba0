import { inTransaction } from '../../../db/index.ts'
import { isId } from '../../../lib/ids.ts'
import type { ChangingSite, Site } from '../../../site/index.ts'
import { notInTrash } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { seesEverything } from '../../visibility.ts'
import { findTrashedFile, trashedFiles } from '../list/file-lists-table.ts'
import type { StoredFile } from '../stored-file.ts'
import { deleteFiles } from './delete-files.ts'
import { removeBytesNow } from './remove-file.ts'
import { restoreFiles } from './trash.ts'

/** The files in the trash, the last one first, for an operator. */
export const listTrash = (site: Site, limit: number): Promise<StoredFile[]> =>
  trashedFiles(site.db, site.clock.now(), limit)

/** Takes a file out of the trash, within the limit of files. */
export function restoreFileOfId(site: ChangingSite, id: string): Promise<StoredFile> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    // PostgreSQL refuses some characters, such as NUL, in a text.
    const file = isId(id) ? await findTrashedFile(db, id, site.clock.now()) : undefined
    if (!file) throw notInTrash(id)
    await restoreFiles({ ...site, db }, seesEverything, [file])
    return file
  })
}

const batchSize = 100

/** Removes every file in the trash for good. Returns how many; may be repeated. */
export async function removeTrash(site: ChangingSite): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await inTransaction(site.db, async (db) => {
      await lockSite(db)
      const files = await trashedFiles(db, site.clock.now(), batchSize)
      return deleteFiles(
        { ...site, db },
        files.map(({ id }) => id),
      )
    })
    await removeBytesNow(site, deleted.removals)
    count += deleted.count
    if (deleted.count < batchSize) return count
  }
}
