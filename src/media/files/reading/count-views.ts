import { inTransaction } from '../../../db/index.ts'
import { addToDay, addToTotal, type ChangingSite, raiseStatsVersion } from '../../../site/index.ts'
import { addAlbumViews } from '../../albums/albums-table.ts'
import { addViews } from '../files-table.ts'

const mostPerStatement = 200

/** Views by the ids of what was viewed. */
type ViewsById = ReadonlyMap<string, number>

/** Adds views to files and albums. Those of deleted ones are dropped. */
export async function countViews(
  site: ChangingSite,
  { file, album }: { file: ViewsById; album: ViewsById },
): Promise<void> {
  if (file.size + album.size === 0) return
  await inTransaction(
    site.db,
    async (db) => {
      // Locked before the rows of files, in the order of all other transactions.
      await raiseStatsVersion(db)
      const ofFiles = await addAll(file, (ids, views) => addViews(db, ids, views))
      if (ofFiles > 0) await addToTotal(db, 'fileViews', ofFiles)
      if (ofFiles > 0) await addToDay({ ...site, db }, { views: ofFiles })
      const ofAlbums = await addAll(album, (ids, views) => addAlbumViews(db, ids, views))
      if (ofAlbums > 0) await addToTotal(db, 'albumViews', ofAlbums)
    },
    // If the commit's answer is lost, do not repeat it: views may be lost, but never counted twice.
    async () => true,
  )
}

/** Returns how many views were added. */
async function addAll(
  viewsById: ViewsById,
  add: (ids: readonly string[], views: number) => Promise<number>,
): Promise<number> {
  let sum = 0
  for (const [views, ids] of Map.groupBy(viewsById.keys(), (id) => viewsById.get(id) ?? 0)) {
    for (let from = 0; from < ids.length; from += mostPerStatement)
      sum += views * (await add(ids.slice(from, from + mostPerStatement), views))
  }
  return sum
}
