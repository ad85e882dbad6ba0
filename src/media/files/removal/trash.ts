import { limitReached } from '../../../accounts/index.ts'
import {
  type AuditVerb,
  addToTotal,
  type ChangingSite,
  limitOf,
  readSettings,
  recordChanges,
} from '../../../site/index.ts'
import { updateFiles } from '../files-table.ts'
import type { StoredFile } from '../stored-file.ts'
import { deleteFiles, type Removal } from './delete-files.ts'
import { hasTrash } from './trash-days.ts'

/**
 * Puts files into the trash, where they are found at no address and keep their names; a site without a trash removes
 * them for good. Returns what is to be removed from the storage after the commit. Part of the caller's transaction.
 */
export async function deleteOrTrash(
  site: ChangingSite,
  files: readonly StoredFile[],
  { isPermanent, isRejected = false }: { isPermanent: boolean; isRejected?: boolean },
): Promise<Removal[]> {
  const now = site.clock.now()
  const idsOf = (some: readonly StoredFile[]) => some.map(({ id }) => id)
  if (isPermanent || !hasTrash(await readSettings(site)))
    return (await deleteFiles(site, idsOf(files), isRejected ? 'file.rejected' : 'file.removed')).removals
  const trashed = files.filter(({ deletedAt }) => !deletedAt)
  if (trashed.length === 0) return []
  await addToTotal(site.db, 'files', -trashed.length)
  await updateFiles(site.db, idsOf(trashed), { deletedAt: now.toISOString() }, now)
  await recordFiles(site, isRejected ? 'file.rejected' : 'file.trashed', trashed)
  return []
}

/** Takes files out of the trash, as far as the limit of files allows. Part of the caller's transaction. */
export async function restoreFiles(site: ChangingSite, files: readonly StoredFile[]): Promise<void> {
  const trashed = files.filter(({ deletedAt }) => deletedAt)
  if (trashed.length === 0) return
  const limit = limitOf(site.values, 'SERVICE_MAX_FILES')
  if (!(await addToTotal(site.db, 'files', trashed.length, limit)))
    throw limitReached('SERVICE_MAX_FILES', limit ?? 0)
  await takeOutOfTrash(site, trashed)
}

/** For files that are counted already. */
export async function takeOutOfTrash(site: ChangingSite, files: readonly StoredFile[]): Promise<void> {
  const restored = files.filter(({ deletedAt }) => deletedAt)
  if (restored.length === 0) return
  const ids = restored.map(({ id }) => id)
  await updateFiles(site.db, ids, { deletedAt: null }, site.clock.now())
  await recordFiles(site, 'file.restored', restored)
}

/** Tells the audit log what was done to files. Part of the caller's transaction. */
export const recordFiles = (
  site: ChangingSite,
  verb: AuditVerb,
  files: readonly Pick<StoredFile, 'id' | 'originalName' | 'userId'>[],
): Promise<void> =>
  recordChanges(
    site,
    files.map(({ id, originalName, userId }) => ({ verb, target: id, before: { originalName, userId } })),
  )
