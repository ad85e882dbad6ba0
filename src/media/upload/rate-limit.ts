import type { Actor } from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import { latestTime } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type ChangingSite, type FloodPeriod, isSwitchedOn, type Settings } from '../../site/index.ts'
import { flooded } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import {
  countRateLimitHits,
  deleteRateLimitHit,
  deleteRateLimitHitsBefore,
  insertRateLimitHit,
} from './rate-limit-table.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const periods: readonly (readonly [FloodPeriod, number])[] = [
  ['minute', minuteMs],
  ['hour', 60 * minuteMs],
  ['day', dayMs],
  ['week', 7 * dayMs],
  ['month', 30 * dayMs],
]

/** Releases an upload's slot if the upload was not stored. */
export type ReleaseSlot = () => Promise<void>

interface Slot {
  /** The IP address of the client. */
  address: string
  settings: Settings
}

/**
 * Reserves a slot in the rate-limit windows of an address, or refuses. Reserved before the upload is processed,
 * so that concurrent uploads cannot exceed the limit together.
 */
export async function reserveUploadSlot(site: ChangingSite, actor: Actor, slot: Slot): Promise<ReleaseSlot> {
  const id = await takeUploadSlot(site, actor, slot)
  return async () => {
    if (id !== undefined) await deleteRateLimitHit(site.db, id)
  }
}

/** Returns the id of the rate-limit hit; undefined if uploads are not limited. */
export async function takeUploadSlot(
  site: ChangingSite,
  actor: Actor,
  { address: client, settings }: Slot,
): Promise<string | undefined> {
  const address = addressKey(client)
  const limits = periods
    .map(([period, ms]) => ({ period, ms, max: Number(settings[`flood_${actor.kind}_${period}`]) }))
    .filter(({ max }) => max > 0)
  if (limits.length === 0 || !isSwitchedOn(site.values, 'SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION')) {
    return undefined
  }
  const id = randomId()
  const now = site.clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  const until = latestTime(now)

  await inTransaction(site.db, async (db) => {
    await lockSite(db)
    for (const { period, ms, max } of limits) {
      const hits = await countRateLimitHits(db, address, { since: before(ms), until })
      if (hits >= max) throw flooded(max, period)
    }
    await deleteRateLimitHitsBefore(db, address, before(31 * dayMs))
    await insertRateLimitHit(db, { id, address, at: now })
  })
  return id
}

/** What an upload has cost so far. */
export interface Cost {
  isWork: boolean
}

/** Releases the slot if the upload fails, except when the client's file was refused after work was done for it. */
export async function withUploadSlot<T>(
  release: ReleaseSlot,
  cost: Cost,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!cost.isWork || isOurFault(error)) await release().catch(() => undefined)
    throw error
  }
}

/** A failure of the server does not count against the caller; a client that disconnects does. */
const isOurFault = (error: unknown): boolean =>
  !(error instanceof Refusal) || (error.kind === 'unavailable' && error.code !== 'caller-left')
