import type { UserCaller } from '../../accounts/index.ts'
import type { SiteDb } from '../../db/index.ts'
import { faultOf } from '../../lib/faults.ts'
import type { ChangingSite } from '../../site/index.ts'
import { invalidField } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import { newestFirst, positionsBetween } from '../position.ts'
import { asKnown, checkMayChange } from './own-albums.ts'
import { type FilePlacement, neighbours, positionsOf, updatePositions } from './positions-table.ts'

interface Order {
  albumId: string
  /** In their new order. */
  ids: readonly string[]
  /** The file before which they are put; undefined: at the end. */
  before: string | undefined
}

/** Moves files within their album. Only what moves is written, unless there is no room left between its neighbours. */
export async function orderFiles(site: ChangingSite, caller: UserCaller, order: Order): Promise<void> {
  await asKnown(site, caller, async (known) => {
    // No file comes, goes or moves meanwhile.
    await lockSite(known.db)
    await checkMayChange(known, caller, order.albumId)
    const at = await checkedPosition(known.db, order)
    await updatePositions(known.db, await newPositions(known.db, order, { at, now: site.clock.now() }))
  })
}

async function checkedPosition(
  db: SiteDb,
  { albumId, ids, before }: Order,
): Promise<FilePlacement | undefined> {
  const moved = new Set((await positionsOf(db, albumId, ids)).map(({ id }) => id))
  const missing = ids.findIndex((id) => !moved.has(id))
  if (missing !== -1) throw invalidField(faultOf(`ids.${missing}`, 'fileInAlbum'))
  if (before === undefined) return undefined
  const [at] = await positionsOf(db, albumId, [before])
  if (!at) throw invalidField(faultOf('before', 'fileInAlbum'))
  return at
}

/** Each attempt gives more neighbours a new position too, until there is room. */
const reaches = [0, 16, 256, 4_096, 65_536, Number.MAX_SAFE_INTEGER - 1]

async function newPositions(
  db: SiteDb,
  { albumId, ids }: Order,
  { at, now }: { at: FilePlacement | undefined; now: Date },
): Promise<FilePlacement[]> {
  const range = { albumId, without: ids, at }
  for (const reach of reaches) {
    const ahead = await neighbours(db, range, { side: 'ahead', limit: reach + 1 })
    const behind = await neighbours(db, range, { side: 'behind', limit: reach + 1 })
    const moved = [
      ...ahead
        .slice(0, reach)
        .map(({ id }) => id)
        .reverse(),
      ...ids,
      ...behind.slice(0, reach).map(({ id }) => id),
    ]
    const high = behind[reach]?.position
    const low = ahead[reach]?.position ?? front(now, high)
    const positions = positionsBetween(low, high, moved.length)
    if (positions) return moved.map((id, index) => ({ id, position: positions[index] ?? '' }))
  }
  throw new Error(`The album ${albumId} has no room for positions.`)
}

/** New files come before all others, so no file is put before where they come. */
function front(now: Date, high: string | undefined): string | undefined {
  const newest = newestFirst(now)
  return high === undefined || newest < high ? newest : undefined
}
