import type { SiteDb } from '../../db/index.ts'
import { randomId } from '../../lib/ids.ts'
import { addToTotal, batchSize, type Shift, type Site, type SiteJob } from '../../site/index.ts'
import { waitInLine } from '../line.ts'
import { insertRemovals } from '../removals-table.ts'
import { keysOf } from '../stored-file.ts'
import { deleteFileRows, expiredFiles } from './kept-files-table.ts'

/** Nobody is shown an expired file any more; here its row goes, with a note of its bytes. */
export const expireFiles: SiteJob = {
  name: 'expire-files',
  does: 'files expired',
  dueAt: ({ expiresAt }) => expiresAt,
  async run(site, shift) {
    for (let count = 0; ; ) {
      const expired = await expireSome(site, shift)
      count += expired
      if (expired < batchSize || shift.isOver) return count
    }
  },
}

function expireSome(site: Site, shift: Shift): Promise<number> {
  const now = site.clock.now()
  return shift.change(async (db: SiteDb) => {
    // Before the rows, as uploads and removals do it too.
    await waitInLine(db)
    const expired = await expiredFiles(db, now, batchSize)
    if (expired.length === 0) return 0
    const gone = await deleteFileRows(
      db,
      expired.map(({ id }) => id),
    )
    const sum = (name: 'storedBytes' | 'views' | 'likes') => gone.reduce((all, file) => all + file[name], 0)
    await addToTotal(db, 'files', -gone.length)
    await addToTotal(db, 'storageUsed', -sum('storedBytes'))
    await addToTotal(db, 'fileViews', -sum('views'))
    await addToTotal(db, 'fileLikes', -sum('likes'))
    const paths = gone.flatMap((file) => keysOf({ ...file, variants: file.versions }))
    await insertRemovals(
      db,
      paths.map((path) => ({ id: randomId(), path })),
      now,
    )
    return gone.length
  })
}
