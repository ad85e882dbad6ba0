import { randomId } from '../../lib/ids.ts'
import { addToDay, addToTotal, allTotals, noteDropped, type Site } from '../../site/index.ts'
import { insertRemovals } from '../files/removal/reserved-names-table.ts'
import {
  type DerivedRow,
  deleteDerivedOfFiles,
  deleteDerivedOfIds,
  insertDerivedRow,
  keyOfDerived,
  longestUnused,
  updateUsed,
} from './derived-table.ts'

type DroppingSite = Pick<Site, 'db' | 'clock'>

/**
 * Replaces the rows of pictures derived from these files by removal records of their bytes. Part of the transaction in which the
 * files leave their addresses, or get other bytes; it has locked the totals.
 */
export async function dropDerivedOfFiles(site: DroppingSite, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return
  const rows = await deleteDerivedOfFiles(site.db, fileIds)
  // Caches may have them too.
  noteDropped(site.db, rows)
  await removeRows(site, rows)
}

export const dropDerived = async (site: DroppingSite, ids: readonly string[]): Promise<void> =>
  removeRows(site, await deleteDerivedOfIds(site.db, ids))

const batch = 100

/** Brings the site under its budget: what was unused for longest goes first, and what was just made last. */
export async function makeRoom(site: DroppingSite, room: number, newest: string | undefined): Promise<void> {
  const { derivedBytes } = await allTotals(site.db)
  for (let excess = derivedBytes - room; excess > 0; ) {
    const oldest = await longestUnused(site.db, { besides: newest ?? '', limit: batch })
    if (oldest.length === 0) return
    const leaving: string[] = []
    for (const { id, sizeBytes } of oldest) {
      if (excess <= 0) break
      leaving.push(id)
      excess -= sizeBytes
    }
    await dropDerived(site, leaving)
  }
}

async function removeRows(site: DroppingSite, rows: readonly DerivedRow[]): Promise<void> {
  if (rows.length === 0) return
  const bytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  await addDerivedBytes(site, -bytes)
  const removals = rows.map((row) => ({ id: randomId(), path: keyOfDerived(row) }))
  await insertRemovals(site.db, removals, site.clock.now())
}

/** Adds the row of a picture whose bytes are stored. */
export async function insertDerived(site: DroppingSite, row: DerivedRow): Promise<void> {
  await insertDerivedRow(site.db, row)
  await addDerivedBytes(site, row.sizeBytes)
}

/** In the total of the site and in that of the day. */
async function addDerivedBytes(site: DroppingSite, bytes: number): Promise<void> {
  await addToTotal(site.db, 'derivedBytes', bytes)
  await addToDay(site, { derivedBytes: bytes })
}

/** Each row is a parameter, and SQLite takes 32,766 of them. */
const mostPerStatement = 1_000

/** Keeps when derived pictures were last sent. */
export async function recordUses({ db, clock }: DroppingSite, used: ReadonlySet<string>): Promise<void> {
  const ids = [...used]
  const at = minuteOf(clock.now())
  for (let from = 0; from < ids.length; from += mostPerStatement)
    await updateUsed(db, ids.slice(from, from + mostPerStatement), at)
}

/** Last uses are kept to the minute. */
export const minuteOf = (at: Date): Date => new Date(Math.floor(at.getTime() / 60_000) * 60_000)
