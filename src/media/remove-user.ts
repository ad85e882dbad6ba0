import { deleteUser, editUser, lastLookAt, userOfName } from '../accounts/index.ts'
import { inTransaction, type SiteDb } from '../db/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { lockTotal, type Site } from '../site/index.ts'
import { dropAlbum } from './albums.ts'
import { albumIdsOfUser } from './albums-table.ts'
import { userHasFiles } from './errors.ts'
import { countFilesOfUser, disownFiles, filesOfUser } from './file-lists-table.ts'
import { waitInLine } from './line.ts'
import { removeFile } from './remove-file.ts'

interface UserRemoval {
  username: string
  /** What becomes of the user's files; without a word, there must be none. */
  files: 'keep' | 'delete' | undefined
}

export interface RemovedUser {
  username: string
  filesKept: number
  filesDeleted: number
  albums: number
}

/** Deletes a user with keys, sessions and albums. Files that are kept are a guest's from then on. May be repeated. */
export async function removeUser(site: Site, { username, files }: UserRemoval): Promise<RemovedUser> {
  const filesDeleted = files === 'delete' ? await removeFilesOf(site, username) : 0
  return inTransaction(site.db, async (db) => {
    // Uploads and new albums of the user have been stored before, or find no user.
    await waitInLine(db)
    await lockTotal(db, 'albums')
    const user = await lastLookAt(db, username)
    const filesKept = await countFilesOfUser(db, user.id)
    if (filesKept > 0 && files !== 'keep') throw userHasFiles(user.username, filesKept)
    const albums = await dropAlbumsOf(db, user.id)
    await disownFiles(db, user.id)
    await deleteUser(db, user)
    return { username: user.username, filesKept, filesDeleted, albums }
  })
}

async function dropAlbumsOf(db: SiteDb, userId: string): Promise<number> {
  const ids = await albumIdsOfUser(db, userId)
  for (const id of ids) await dropAlbum(db, id)
  return ids.length
}

const batch = 100

async function removeFilesOf(site: Site, username: string): Promise<number> {
  const user = await userOfName(site, username)
  // Nothing new comes in while the old goes, and the last administrator is told before anything is lost.
  await editUser(site, { username, isBanned: true })
  for (let removed = 0; ; ) {
    const files = await filesOfUser(site.db, user.id, batch)
    if (files.length === 0) return removed
    for (const file of files) if (await isRemoved(site, file)) removed += 1
  }
}

/** Somebody else may have been quicker. */
const isRemoved = (site: Site, file: Parameters<typeof removeFile>[1]): Promise<boolean> =>
  removeFile(site, file).then(
    () => true,
    (error) => {
      if (error instanceof Refusal && error.kind === 'not-found') return false
      throw error
    },
  )
