import { limitReached, quotaReached } from '../../accounts/index.ts'
import { addToTotal, allTotals, type ChangingSite, limitOf } from '../../site/index.ts'
import { lockSite } from '../lock-site.ts'
import { sumReservedBytes } from './resumable-uploads-table.ts'

const limitName = 'SERVICE_MAX_STORAGE'

/**
 * Adds stored bytes to the total of the site, or refuses. Open uploads have reserved theirs, which count as used; `reservedBytes`
 * are those of the upload that these bytes come from. Part of the caller's transaction.
 */
export async function addStoredBytes(
  { db, values, clock }: ChangingSite,
  bytes: number,
  reservedBytes = 0,
): Promise<void> {
  const limit = limitOf(values, limitName)
  if (limit === undefined) return void (await addToTotal(db, 'storageUsed', bytes))
  await lockSite(db)
  const othersBytes = (await sumReservedBytes(db, clock.now())) - reservedBytes
  if (!(await addToTotal(db, 'storageUsed', bytes, limit - othersBytes))) throw quotaReached(limitName, limit)
}

/** Refuses an upload that has no room beside the stored files and the other open uploads. Under the site lock. */
export async function checkRoomFor({ db, values, clock }: ChangingSite, bytes: number): Promise<void> {
  const { files, storageUsed } = await allTotals(db)
  const mostFiles = limitOf(values, 'SERVICE_MAX_FILES')
  if (mostFiles !== undefined && files >= mostFiles) throw limitReached('SERVICE_MAX_FILES', mostFiles)
  const limit = limitOf(values, limitName)
  if (limit === undefined) return
  if (storageUsed + (await sumReservedBytes(db, clock.now())) + bytes > limit)
    throw quotaReached(limitName, limit)
}
