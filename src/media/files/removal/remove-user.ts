import {
  type CheckVersion,
  checkStillAdministrator,
  deleteUser,
  editUser,
  findUser,
  type ListedUser,
  lockUserForDeletion,
  type UserCaller,
} from '../../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  addToDay,
  addToDayOfUser,
  addToTotal,
  type ChangingSite,
  lockTotal,
  readSettings,
  recordChange,
  totalsOfUser,
} from '../../../site/index.ts'
import { dropAlbum } from '../../albums/albums.ts'
import { albumIdsOfUser } from '../../albums/albums-table.ts'
import { noSuchNewOwner, userHasFiles } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { checkRoomOfUser } from '../../resumable/storage-limit.ts'
import { idsWithDerived } from '../../transforms/derived-table.ts'
import { dropDerivedOfFiles } from '../../transforms/kept-pictures.ts'
import { clearFileOwner, countFilesOfUser, filesOfUser } from '../list/file-lists-table.ts'
import { removeFile } from './delete-files.ts'
import { trashFilesOfUser, updateOwner } from './user-files-table.ts'

/** What happens to the files of a removed user: another user gets them and the albums, or they become a guest's, or they go to the trash. */
export type FilesOfRemovedUser = 'keep' | 'trash' | { userId: string }

type WhichUser = { username: string } | { id: string }

type UserRemoval = WhichUser & {
  /** Undefined is refused if there are any. */
  files: FilesOfRemovedUser | undefined
  /** Refuses the removal; part of its transaction. */
  check?: (db: SiteDb, user: ListedUser) => Promise<void>
}

export interface RemovedUser {
  username: string
  filesKept: number
  filesTrashed: number
  filesDeleted: number
  albumsKept: number
  albumsDeleted: number
}

/** Deletes a user with keys and sessions. May be repeated. */
export async function removeUser(
  site: ChangingSite,
  { files, check = async () => undefined, ...which }: UserRemoval,
): Promise<RemovedUser> {
  const isForGood = files === 'trash' && (await readSettings(site)).trash_days === '0'
  const filesDeleted = isForGood ? await removeFilesOf(site, which, check) : 0
  return inTransaction(site.db, async (db) => {
    // Concurrent uploads and new albums of the user are committed before, or find no user afterwards.
    await lockSite(db)
    await lockTotal(db, 'albums')
    const user = await lockUserForDeletion(db, which)
    // Removing the files has banned the user, which is another version.
    if (!isForGood) await check(db, user)
    const left = await leaveFiles({ ...site, db }, user, files)
    await deleteUser(db, user)
    await addToDay({ ...site, db }, { users: -1 })
    const before = { role: user.role, filesDeleted, ...left }
    await recordChange({ ...site, db }, { verb: 'user.deleted', target: user.id, before })
    return { username: user.username, filesDeleted, ...left }
  })
}

/** For an administrator, if the user has the version that the caller expects. */
export const removeUserAs = (
  site: ChangingSite,
  caller: UserCaller,
  input: { id: string; files: FilesOfRemovedUser | undefined; checkVersion: CheckVersion },
): Promise<RemovedUser> =>
  removeUser(site, {
    id: input.id,
    files: input.files,
    check: async (db, user) => {
      await checkStillAdministrator(db, caller, site.clock.now())
      input.checkVersion(user.version)
    },
  })

/** Part of the transaction that deletes the user. */
async function leaveFiles(
  site: ChangingSite,
  user: ListedUser,
  files: FilesOfRemovedUser | undefined,
): Promise<Omit<RemovedUser, 'username' | 'filesDeleted'>> {
  const { db, clock } = site
  const count = await countFilesOfUser(db, user.id)
  if (count > 0 && files === undefined) throw userHasFiles(user.username, count)
  if (typeof files === 'object') {
    const heir = files.userId === user.id ? undefined : await findUser(db, files.userId)
    if (!heir) throw noSuchNewOwner(files.userId)
    const owned = await totalsOfUser(db, user.id)
    const moved = await updateOwner(db, { from: user.id, to: heir.id, at: clock.now() })
    await checkRoomOfUser(site, { userId: heir.id, files: owned.files, bytes: owned.storageUsed })
    await addToDayOfUser(site, heir.id, { ...owned })
    return { filesKept: moved.files, filesTrashed: 0, albumsKept: moved.albums, albumsDeleted: 0 }
  }
  if (files === 'trash') await dropDerivedOfUser(site, user.id)
  const filesTrashed = files === 'trash' ? await trashFilesOfUser(db, user.id, clock.now()) : 0
  await addToTotal(db, 'files', -filesTrashed)
  await addToDay(site, { files: -filesTrashed })
  const albumsDeleted = await dropAlbumsOf(site, user.id)
  await clearFileOwner(db, user.id, clock.now())
  return { filesKept: files === 'keep' ? count : 0, filesTrashed, albumsKept: 0, albumsDeleted }
}

/** By pages: a user may have any number of files. */
async function dropDerivedOfUser(site: ChangingSite, userId: string): Promise<void> {
  for (
    let ids = await idsWithDerived(site.db, userId);
    ids.length > 0;
    ids = await idsWithDerived(site.db, userId)
  )
    await dropDerivedOfFiles(site, ids)
}

async function dropAlbumsOf(site: ChangingSite, userId: string): Promise<number> {
  const ids = await albumIdsOfUser(site.db, userId)
  for (const id of ids) await dropAlbum(site, { id })
  return ids.length
}

const batchSize = 100

async function removeFilesOf(
  site: ChangingSite,
  which: WhichUser,
  check: NonNullable<UserRemoval['check']>,
): Promise<number> {
  // A banned user uploads nothing more, and the last administrator is refused before any file is removed.
  const user = await inTransaction(site.db, async (db) => {
    const found = await lockUserForDeletion(db, which)
    await check(db, found)
    return editUser({ ...site, db }, { username: found.username, isBanned: true })
  })
  for (let removed = 0; ; ) {
    const files = await filesOfUser(site.db, user.id, batchSize)
    if (files.length === 0) return removed
    for (const file of files) if (await isRemoved(site, file)) removed += 1
  }
}

/** False if another request has removed the file first. */
const isRemoved = (site: ChangingSite, file: Parameters<typeof removeFile>[1]): Promise<boolean> =>
  removeFile(site, file).then(
    () => true,
    (error) => {
      if (error instanceof Refusal && error.kind === 'not-found') return false
      throw error
    },
  )
