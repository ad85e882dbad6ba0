import { limitReached, quotaReached } from '../../accounts/index.ts'
import {
  addToTotal,
  allTotals,
  type ChangingSite,
  limitOf,
  quotaActionOf,
  type SiteValues,
  totalsOfUser,
} from '../../site/index.ts'
import { lockSite } from '../lock-site.ts'
import { sumReservedBytes } from './reserved-bytes-table.ts'

/** What a change adds to the site, and to the user who owns the file. */
interface Added {
  /** Undefined for a guest, who has no limits of a user. */
  userId: string | undefined
  /** Files that are not in the trash. */
  files: number
  bytes: number
  /** The open upload that the bytes come from; what it has reserved is for them. */
  uploadId?: string | undefined
}

/**
 * Adds files and stored bytes to the totals of the site, or refuses. What open uploads have reserved counts as used. The totals of
 * the user are checked here, and added to by `addToDay`. Part of the caller's transaction.
 */
export async function addStored(site: ChangingSite, added: Added): Promise<void> {
  const { db, values, clock } = site
  await addFiles(site, added.files)
  const limit = storageLimitOf(values)
  if (limit === undefined) await addToTotal(db, 'storageUsed', added.bytes)
  else {
    await lockSite(db)
    const others = await sumReservedBytes(db, clock.now(), { besides: added.uploadId })
    if (!(await addToTotal(db, 'storageUsed', added.bytes, limit - others)))
      throw quotaReached('SERVICE_MAX_STORAGE', limit)
  }
  await checkRoomOfUser(site, added)
}

/** Adds to the files of the site, or refuses. Part of the caller's transaction. */
export async function addFiles({ db, values }: ChangingSite, count: number): Promise<void> {
  if (count === 0) return
  const limit = limitOf(values, 'SERVICE_MAX_FILES')
  if (!(await addToTotal(db, 'files', count, limit))) throw limitReached('SERVICE_MAX_FILES', limit ?? 0)
}

/** Refuses what a user has no room for, beside what the user owns and what open uploads have reserved. Under the site lock. */
export async function checkRoomOfUser(
  { db, values, clock }: ChangingSite,
  { userId, files, bytes, uploadId }: Added,
): Promise<void> {
  const mostFiles = limitOf(values, 'SERVICE_MAX_FILES_PER_USER')
  const mostBytes = limitOf(values, 'SERVICE_MAX_STORAGE_PER_USER')
  if (userId === undefined || (mostFiles === undefined && mostBytes === undefined)) return
  await lockSite(db)
  const owned = await totalsOfUser(db, userId)
  if (mostFiles !== undefined && files > 0 && owned.files + files > mostFiles)
    throw limitReached('SERVICE_MAX_FILES_PER_USER', mostFiles)
  if (mostBytes === undefined || bytes === 0) return
  const others = await sumReservedBytes(db, clock.now(), { ownerId: userId, besides: uploadId })
  if (owned.storageUsed + others + bytes > mostBytes)
    throw quotaReached('SERVICE_MAX_STORAGE_PER_USER', mostBytes)
}

/** Refuses an upload that has no room beside the stored files and the other open uploads. Under the site lock. */
export async function checkRoomFor(site: ChangingSite, added: Added): Promise<void> {
  const { db, values, clock } = site
  const { files, storageUsed } = await allTotals(db)
  const mostFiles = limitOf(values, 'SERVICE_MAX_FILES')
  if (mostFiles !== undefined && added.files > 0 && files + added.files > mostFiles)
    throw limitReached('SERVICE_MAX_FILES', mostFiles)
  const limit = storageLimitOf(values)
  if (limit !== undefined && storageUsed + (await sumReservedBytes(db, clock.now())) + added.bytes > limit)
    throw quotaReached('SERVICE_MAX_STORAGE', limit)
  await checkRoomOfUser(site, added)
}

/** The bytes from which on the site refuses more; undefined if it does not, or is only told about. */
const storageLimitOf = (values: SiteValues): number | undefined =>
  quotaActionOf(values) === 'alert' ? undefined : limitOf(values, 'SERVICE_MAX_STORAGE')
