import { addToDay, addToTotal, type ChangingSite, raiseStatsVersion } from '../../../site/index.ts'
import { addAlbumViews } from '../../albums/albums-table.ts'
import { addViews } from '../files-table.ts'

const mostPerStatement = 200

/** Views by the ids of what was viewed. */
type ViewsById = ReadonlyMap<string, number>

/** Adds the views of a day to files and albums. Those of deleted ones are dropped. */
export async function countViews(
  site: ChangingSite,
  { file, album }: { file: ViewsById; album: ViewsById },
  day: string,
): Promise<void> {
  // Locked before the rows of files, in the order of all other transactions.
  await raiseStatsVersion(site.db)
  const owners = new Map<string | undefined, number>()
  await addAll(file, async (ids, views) => {
    for (const userId of await addViews(site.db, ids, views))
      owners.set(userId, (owners.get(userId) ?? 0) + views)
  })
  const ofFiles = [...owners.values()].reduce((sum, views) => sum + views, 0)
  if (ofFiles > 0) await addToTotal(site.db, 'fileViews', ofFiles)
  for (const [userId, views] of owners) await addToDay(site, { views }, { userId, day })
  let ofAlbums = 0
  await addAll(album, async (ids, views) => {
    ofAlbums += views * (await addAlbumViews(site.db, ids, views))
  })
  if (ofAlbums > 0) await addToTotal(site.db, 'albumViews', ofAlbums)
}

async function addAll(
  viewsById: ViewsById,
  add: (ids: readonly string[], views: number) => Promise<void>,
): Promise<void> {
  for (const [views, ids] of Map.groupBy(viewsById.keys(), (id) => viewsById.get(id) ?? 0)) {
    for (let from = 0; from < ids.length; from += mostPerStatement)
      await add(ids.slice(from, from + mostPerStatement), views)
  }
}
