import type { Caller, UserCaller } from '../../../accounts/index.ts'
import { inTransaction } from '../../../db/index.ts'
import { addToTotal, type ChangingSite, type Site } from '../../../site/index.ts'
import { fileInTrash, noSuchFile } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { checkMayChange, type Visibility, visibilityById } from '../../visibility.ts'
import type { ShownFile } from '../list/shown-columns-table.ts'
import { findShownFiles } from '../list/shown-files-table.ts'
import { removeBytesNow } from '../removal/delete-files.ts'
import { deleteOrTrash, restoreFiles } from '../removal/trash.ts'
import { applyEdit, checkEdit, checkEditOf, type FileEdit } from './apply-edit.ts'
import { addToLikes, deleteLike, insertLike } from './likes-table.ts'

/** A file by its id, in the version that the caller expects. */
export interface FileTarget {
  id: string
  /** Refuses a version that the caller did not expect. */
  checkVersion?: ((version: number) => void) | undefined
}

/** Changes the given fields of a file. */
export function editFile(
  site: ChangingSite,
  caller: Caller,
  { edit, ...target }: FileTarget & { edit: FileEdit },
): Promise<ShownFile> {
  return changeFile(site, caller, target, async (changing, visibility, shown) => {
    if (shown.file.deletedAt) throw fileInTrash()
    const checked = await checkEdit(changing, visibility, edit)
    checkEditOf(changing, visibility, { checked, shown })
    await applyEdit(changing, [shown], edit)
  })
}

/** Puts a file into the trash, or removes it for good: if the caller says so, and on a site without a trash. */
export async function deleteFile(
  site: ChangingSite,
  caller: Caller,
  { isPermanent, ...target }: FileTarget & { isPermanent: boolean },
): Promise<void> {
  const removals = await inTransaction(site.db, async (db) => {
    const { changing, visibility, shown } = await openTarget({ ...site, db }, caller, target)
    return deleteOrTrash(changing, [shown.file], { isPermanent, visibility })
  })
  await removeBytesNow(site, removals)
}

/** Takes a file out of the trash. One that is not in it stays as it is. */
export function restoreFile(site: ChangingSite, caller: Caller, target: FileTarget): Promise<ShownFile> {
  return changeFile(site, caller, target, async (changing, visibility, { file }) => {
    await restoreFiles(changing, visibility, [file])
  })
}

/** Runs a change of one file under the site lock, and reads the file again. */
export function changeFile(
  site: ChangingSite,
  caller: Caller,
  target: FileTarget,
  change: (site: ChangingSite, visibility: Visibility, shown: ShownFile) => Promise<void>,
): Promise<ShownFile> {
  return inTransaction(site.db, async (db) => {
    const { changing, visibility, shown } = await openTarget({ ...site, db }, caller, target)
    await change(changing, visibility, shown)
    return readAgain(changing, visibility, target.id)
  })
}

interface OpenedTarget {
  changing: ChangingSite
  visibility: Visibility
  shown: ShownFile
}

/** Locks the site, so that of several changes with one expected version the first wins. */
export async function openTarget(
  changing: ChangingSite,
  caller: Caller,
  { id, checkVersion }: FileTarget,
): Promise<OpenedTarget> {
  await lockSite(changing.db)
  const visibility = visibilityById(caller)
  const shown = await readAgain(changing, visibility, id)
  checkMayChange(visibility, shown.file)
  checkVersion?.(shown.file.version)
  return { changing, visibility, shown }
}

export async function readAgain({ db, clock }: Site, visibility: Visibility, id: string): Promise<ShownFile> {
  const [shown] = await findShownFiles(db, visibility, { ids: [id] }, clock.now())
  if (!shown) throw noSuchFile(id)
  return shown
}

/** Lets a user like a file, or like it no more. May be repeated. */
export function likeFile(
  site: ChangingSite,
  caller: UserCaller,
  { id, isLiked }: { id: string; isLiked: boolean },
): Promise<void> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    const now = site.clock.now()
    const visibility = visibilityById(caller)
    const [shown] = await findShownFiles(db, visibility, { ids: [id] }, now)
    if (!shown) throw noSuchFile(id)
    if (shown.file.deletedAt) throw fileInTrash()
    const like = { fileId: id, userId: caller.userId }
    const isChanged = isLiked ? await insertLike(db, like, now) : await deleteLike(db, like)
    if (!isChanged) return
    const by = isLiked ? 1 : -1
    await addToTotal(db, 'fileLikes', by)
    await addToLikes(db, id, by)
  })
}
