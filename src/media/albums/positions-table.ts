import type { SiteDb } from '../../db/index.ts'

/** Where a file stands in its album. */
export interface FilePlacement {
  id: string
  position: string
}

/** Those of the files that are in the album. */
export function positionsOf(db: SiteDb, albumId: string, ids: readonly string[]): Promise<FilePlacement[]> {
  return db
    .selectFrom('file')
    .select(['id', 'position'])
    .where('albumId', '=', albumId)
    .where('id', 'in', ids)
    .execute()
}

/** The files of an album around a place, without those that move: the nearest first. */
export async function neighbours(
  db: SiteDb,
  { albumId, without, at }: { albumId: string; without: readonly string[]; at: FilePlacement | undefined },
  { side, limit }: { side: 'ahead' | 'behind'; limit: number },
): Promise<FilePlacement[]> {
  // Nothing is behind the end of the album.
  if (side === 'behind' && !at) return []
  const isAhead = side === 'ahead'
  let query = db
    .selectFrom('file')
    .select(['id', 'position'])
    .where('albumId', '=', albumId)
    .where('id', 'not in', without)
  if (at)
    query = query.where((eb) =>
      eb.or([
        eb('position', isAhead ? '<' : '>', at.position),
        eb.and([eb('position', '=', at.position), eb('id', isAhead ? '<' : '>=', at.id)]),
      ]),
    )
  const direction = isAhead ? 'desc' : 'asc'
  return query.orderBy('position', direction).orderBy('id', direction).limit(limit).execute()
}

const mostInStatement = 200

export async function updatePositions(db: SiteDb, positions: readonly FilePlacement[]): Promise<void> {
  for (let from = 0; from < positions.length; from += mostInStatement) {
    const some = positions.slice(from, from + mostInStatement)
    const [first, ...others] = some
    if (!first) return
    await db
      .updateTable('file')
      .set((eb) => {
        // Not a case on the id itself: Citus sends the values to its workers as booleans.
        let cases = eb.case().when('id', '=', first.id).then(first.position)
        for (const { id, position } of others) cases = cases.when('id', '=', id).then(position)
        return { position: cases.else(eb.ref('position')).end() }
      })
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .execute()
  }
}
