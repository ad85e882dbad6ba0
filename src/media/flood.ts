import type { Actor } from '../accounts/index.ts'
import { inTransaction } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { type FloodPeriod, isSwitchedOn, type Settings, type Site } from '../site/index.ts'
import { flooded } from './errors.ts'
import { countMarks, deleteMark, deleteMarksBefore, insertMark } from './flood-table.ts'
import { waitInLine } from './line.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const periods: readonly (readonly [FloodPeriod, number])[] = [
  ['minute', minuteMs],
  ['hour', 60 * minuteMs],
  ['day', dayMs],
  ['week', 7 * dayMs],
  ['month', 30 * dayMs],
]

/** What gives an upload's place back when nothing came of it. */
export type GiveBack = () => Promise<void>

/**
 * Takes a place in the windows of an address, or refuses. The place is taken before the work,
 * so that uploads at the same time cannot all believe themselves to be the last one.
 */
export async function takeFloodPlace(
  site: Site,
  actor: Actor,
  { address, settings }: { address: string; settings: Settings },
): Promise<GiveBack> {
  const limits = periods
    .map(([period, ms]) => ({ period, ms, most: Number(settings[`flood_${actor.kind}_${period}`]) }))
    .filter(({ most }) => most > 0)
  if (limits.length === 0 || !isSwitchedOn(site.values, 'SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION')) {
    return async () => undefined
  }
  const id = randomId()
  const now = site.clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)

  await inTransaction(site.db, async (db) => {
    await waitInLine(db)
    for (const { period, ms, most } of limits) {
      if ((await countMarks(db, address, before(ms))) >= most) throw flooded(most, period)
    }
    await deleteMarksBefore(db, address, before(31 * dayMs))
    await insertMark(db, { id, address, at: now })
  })
  return () => deleteMark(site.db, id)
}
