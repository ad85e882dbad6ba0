import type { Caller } from '../../../accounts/index.ts'
import { inTransaction } from '../../../db/index.ts'
import { isId } from '../../../lib/ids.ts'
import {
  type AuditVerb,
  addToDayOfOwners,
  addToTotal,
  type ChangingSite,
  readSettings,
  recordChanges,
  type Settings,
  type Site,
} from '../../../site/index.ts'
import { notInTrash, removedByStaff } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { addFiles, checkRoomOfUser } from '../../resumable/storage-limit.ts'
import { dropDerivedOfFiles } from '../../transforms/kept-pictures.ts'
import { seesEverything, type Visibility, visibilityById } from '../../visibility.ts'
import { updateFiles } from '../files-table.ts'
import { findTrashedFile, trashedFiles } from '../list/file-lists-table.ts'
import type { StoredFile } from '../stored-file.ts'
import { deleteFiles, type Removal, removeBytesNow } from './delete-files.ts'

const dayMs = 24 * 60 * 60_000

/** Without a trash, a deletion is for good, and replaced bytes are not kept. */
export const hasTrash = (settings: Settings): boolean => daysOf(settings) > 0

/** What was put into the trash at this time or before is to be removed. */
export const trashEndsBefore = (settings: Settings, now: Date): Date =>
  // A number of days that reaches beyond the first date keeps everything.
  new Date(Math.max(now.getTime() - daysOf(settings) * dayMs, -62_000_000_000_000))

/** When a file of the trash is removed for good. */
export const trashEndsAt = (settings: Settings, deletedAt: Date): Date =>
  new Date(deletedAt.getTime() + daysOf(settings) * dayMs)

const daysOf = ({ trash_days: days }: Settings) => Number(days)

interface Removing {
  isPermanent: boolean
  /** By the staff, as a decision on the file. */
  isRejected?: boolean
  /** Of the caller who removes the files. */
  visibility: Visibility
  reason?: string | undefined
}

/**
 * Puts files into the trash, where they are found at no address and keep their names; a site without a trash removes
 * them for good. Returns what is to be removed from the storage after the commit. Part of the caller's transaction.
 */
export async function deleteOrTrash(
  site: ChangingSite,
  files: readonly StoredFile[],
  { isPermanent, isRejected = false, visibility, reason }: Removing,
): Promise<Removal[]> {
  const now = site.clock.now()
  const idsOf = (some: readonly StoredFile[]) => some.map(({ id }) => id)
  if (isPermanent || !hasTrash(await readSettings(site))) {
    const verb = isRejected ? 'file.rejected' : 'file.removed'
    return (await deleteFiles(site, idsOf(files), { verb, reason })).removals
  }
  const trashed = files.filter(({ deletedAt }) => !deletedAt)
  // What its owner has thrown away can still be rejected; then the owner cannot take it back.
  const taken = isRejected ? files.filter(({ deletedAt }) => deletedAt) : []
  if (trashed.length + taken.length === 0) return []
  await addToTotal(site.db, 'files', -trashed.length)
  await dropDerivedOfFiles(site, idsOf(trashed))
  await addToDayOfOwners(site, trashed, () => ({ files: -1 }))
  const removal = { removalReason: reason ?? null, deletedAt: now.toISOString() }
  const isOfStaff = ({ userId }: StoredFile) =>
    isRejected || (visibility.seesAll && userId !== visibility.userId)
  const [ofStaff, ofOwner] = [trashed.filter(isOfStaff), trashed.filter((file) => !isOfStaff(file))]
  await updateFiles(site.db, idsOf(ofStaff), { ...removal, removedBy: 'staff' }, now)
  await updateFiles(site.db, idsOf(ofOwner), { ...removal, removedBy: 'owner' }, now)
  await updateFiles(site.db, idsOf(taken), { removalReason: reason ?? null, removedBy: 'staff' }, now)
  const verb = isRejected ? 'file.rejected' : 'file.trashed'
  await recordFiles(site, verb, [...trashed, ...taken], reason)
  return []
}

/** Takes files out of the trash, if the limits of files allow all of them. Part of the caller's transaction. */
export async function restoreFiles(
  site: ChangingSite,
  visibility: Visibility,
  files: readonly StoredFile[],
): Promise<void> {
  const trashed = files.filter(({ deletedAt }) => deletedAt)
  if (trashed.length === 0) return
  for (const file of trashed) checkMayRestore(visibility, file)
  await addFiles(site, trashed.length)
  for (const [userId, files] of Map.groupBy(trashed, (file) => file.userId))
    await checkRoomOfUser(site, { userId, files: files.length, bytes: 0 })
  await takeOutOfTrash(site, trashed)
}

/** Refuses an owner who would undo what the staff has decided. */
export function checkMayRestore(visibility: Visibility, file: StoredFile): void {
  if (!isRestorable(visibility, file)) throw removedByStaff()
}

const isRestorable = ({ seesAll }: Visibility, { removedBy }: StoredFile) => seesAll || removedBy !== 'staff'

/** Of files in the trash that the caller sees. */
export const mayRestore = (caller: Caller, file: StoredFile): boolean =>
  isRestorable(visibilityById(caller), file)

/** For files that are counted and checked already. */
export async function takeOutOfTrash(site: ChangingSite, files: readonly StoredFile[]): Promise<void> {
  const restored = files.filter(({ deletedAt }) => deletedAt)
  if (restored.length === 0) return
  const ids = restored.map(({ id }) => id)
  await addToDayOfOwners(site, restored, () => ({ files: 1 }))
  await updateFiles(site.db, ids, { deletedAt: null, removedBy: null, removalReason: null }, site.clock.now())
  await recordFiles(site, 'file.restored', restored)
}

/** Records in the audit log what was done to files. Part of the caller's transaction. */
export const recordFiles = (
  site: ChangingSite,
  verb: AuditVerb,
  files: readonly Pick<StoredFile, 'id' | 'originalName' | 'userId'>[],
  reason?: string | undefined,
): Promise<void> =>
  recordChanges(
    site,
    files.map(({ id, originalName, userId }) => ({
      verb,
      target: id,
      before: { originalName, userId },
      ...(reason !== undefined && { after: { reason } }),
    })),
  )

/** The files in the trash, the last one first, for an operator. */
export const listTrash = (site: Site, limit: number): Promise<StoredFile[]> =>
  trashedFiles(site.db, site.clock.now(), limit)

/** Takes a file out of the trash, within the limits of files. */
export function restoreFileOfId(site: ChangingSite, id: string): Promise<StoredFile> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    // PostgreSQL refuses some characters, such as NUL, in a text.
    const file = isId(id) ? await findTrashedFile(db, id, site.clock.now()) : undefined
    if (!file) throw notInTrash(id)
    await restoreFiles({ ...site, db }, seesEverything, [file])
    return file
  })
}

const batchSize = 100

/** Removes every file in the trash for good. Returns how many; may be repeated. */
export async function removeTrash(site: ChangingSite): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await inTransaction(site.db, async (db) => {
      await lockSite(db)
      const files = await trashedFiles(db, site.clock.now(), batchSize)
      return deleteFiles(
        { ...site, db },
        files.map(({ id }) => id),
      )
    })
    await removeBytesNow(site, deleted.removals)
    count += deleted.count
    if (deleted.count < batchSize) return count
  }
}
