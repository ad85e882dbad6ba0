import { inTransaction, requestSync, type SiteDb } from '../db/index.ts'
import type { ChangingSite } from './changing-site.ts'
import { addToDay } from './day-totals-table.ts'
import { recountLabels } from './label-totals-table.ts'
import { countRows, countRowsOfUsers } from './row-counts-table.ts'
import { allTotals, lockTotals, type Totals, updateTotal } from './totals-table.ts'
import { allUserTotals, type UserTotals, updateUserTotals } from './user-totals-table.ts'

/** Counts the rows anew and keeps what was counted. */
export function recountTotals(site: ChangingSite): Promise<Totals> {
  return inTransaction(site.db, async (db: SiteDb) => {
    // Locked first: a commit between counting and writing would be lost.
    await lockTotals(db)
    // Also if the totals are right: their copy may be wrong.
    requestSync(db)
    const stored = await allTotals(db)
    const counted: Totals = { ...stored, ...(await countRows(db)) }
    for (const [name, value] of Object.entries(counted) as [keyof Totals, number][]) {
      if (stored[name] !== value) await updateTotal(db, name, value)
    }
    // After a restore, which leaves derived pictures out: the days before keep what they had.
    await addToDay({ ...site, db }, { derivedBytes: counted.derivedBytes - stored.derivedBytes })
    for (const { userId, counted } of await wrongUserTotals(db)) await updateUserTotals(db, userId, counted)
    await recountLabels(db)
    return counted
  })
}

interface WrongUserTotals {
  userId: string
  stored: UserTotals
  counted: UserTotals
}

/** Users whose totals differ from their rows. */
export async function wrongUserTotals(db: SiteDb): Promise<WrongUserTotals[]> {
  const [allStored, allCounted] = [await allUserTotals(db), await countRowsOfUsers(db)]
  return [...new Set([...allStored.keys(), ...allCounted.keys()])].flatMap((userId) => {
    const [stored, counted] = [allStored.get(userId) ?? none, allCounted.get(userId) ?? none]
    const isRight = stored.files === counted.files && stored.storageUsed === counted.storageUsed
    return isRight ? [] : [{ userId, stored, counted }]
  })
}

const none: UserTotals = { files: 0, storageUsed: 0 }
