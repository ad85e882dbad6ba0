import { type Caller, checkStillKnown, scopeMissing, type UserCaller } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { addToTotal, type ChangingSite, type Site } from '../../site/index.ts'
import { albumNotFound } from '../errors.ts'
import { type BulkResult, changeFiles } from '../files/edit/bulk-change.ts'
import { filesOfAlbum } from '../files/list/file-lists-table.ts'
import { type Removal, removeBytesNow } from '../files/removal/delete-files.ts'
import { deleteOrTrash } from '../files/removal/trash.ts'
import { lockSite } from '../lock-site.ts'
import { type Visibility, visibilityById, visibilityOf } from '../visibility.ts'
import { addAlbumLikes, deleteAlbumLike, insertAlbumLike } from './album-likes-table.ts'
import {
  type AlbumFilter,
  type AlbumListSort,
  type AlbumPosition,
  albumsAfter,
  countAlbumsUpTo,
  findVisibleAlbum,
  type SeenAlbum,
  type WithPosition,
  withContents,
} from './album-lists-table.ts'
import { type AlbumChange, addAlbum, albumOfId, changeAlbum, type NewAlbum, removeAlbum } from './albums.ts'
import type { Album } from './albums-table.ts'

export interface AlbumListing extends AlbumFilter {
  sort: AlbumListSort
  isDescending: boolean
}

/** A page of the albums that the caller may list. */
export async function listAlbums(
  site: Site,
  caller: Caller,
  { sort, isDescending, ...filter }: AlbumListing,
  page: { after: AlbumPosition | undefined; limit: number },
): Promise<WithPosition<SeenAlbum>[]> {
  const visibility = await visibilityOf(site, caller)
  const albums = await albumsAfter(site.db, visibility, filter, { sort, isDescending, ...page })
  return withContents(site.db, visibility, { albums, now: site.clock.now() })
}

/** The number of albums of a list, counted up to `most`. */
export async function countAlbums(
  site: Site,
  caller: Caller,
  { sort: _sort, isDescending: _direction, ...filter }: AlbumListing,
  most: number,
): Promise<number> {
  return countAlbumsUpTo(site.db, await visibilityOf(site, caller), filter, most)
}

/** An album that the caller sees; all others are answered as unknown. */
export async function readAlbum(site: Site, caller: Caller, id: string): Promise<SeenAlbum> {
  const visibility = visibilityById(caller)
  const album = await findVisibleAlbum(site.db, visibility, id)
  if (!album) throw albumNotFound(id)
  return seenAlbum(site, visibility, album)
}

/** The title alone, for visitors of a share that shows nothing else. */
export const readAlbumTitle = async (site: Site, id: string): Promise<string> =>
  (await albumOfId(site.db, id)).title

/** Creates an album of the caller. */
export async function createOwnAlbum(
  site: ChangingSite,
  caller: UserCaller,
  input: Omit<NewAlbum, 'userId'>,
): Promise<SeenAlbum> {
  return asKnown(site, caller, async (known) => {
    const album = await addAlbum(known, { ...input, userId: caller.userId })
    return seenAlbum(known, visibilityById(caller), album)
  })
}

/** Creates an album and moves files into it, in one transaction. A file that cannot be moved does not stop the others. */
export async function moveToNewAlbum(
  site: ChangingSite,
  caller: UserCaller,
  { title, ids }: { title: string; ids: readonly string[] },
): Promise<BulkResult[]> {
  return asKnown(site, caller, async (known) => {
    // In the order of all other changes of files and albums.
    await lockSite(known.db)
    const album = await addAlbum(known, { title, userId: caller.userId })
    const targets = ids.map((id) => ({ id, version: undefined }))
    return changeFiles(known, caller, {
      action: 'move',
      targets,
      edit: { albumId: album.id },
      isAtomic: false,
    })
  })
}

interface Checked {
  /** Refuses another version than the caller knows. */
  checkVersion: (version: number) => void
}

/** Changes an album that the caller may change: the caller's own, or any for an administrator. */
export async function editOwnAlbum(
  site: ChangingSite,
  caller: UserCaller,
  { checkVersion, ...change }: AlbumChange & Checked,
): Promise<SeenAlbum> {
  return asKnown(site, caller, async (known) => {
    const visibility = await checkMayChange(known, caller, change.id)
    const album = await changeAlbum(known, change, ({ version }) => checkVersion(version))
    return seenAlbum(known, visibility, album)
  })
}

/** Deletes an album that the caller may change. Its files stay, unless they go into the trash with it. */
export async function removeOwnAlbum(
  site: ChangingSite,
  caller: UserCaller,
  { id, checkVersion, trashesFiles }: { id: string; trashesFiles: boolean } & Checked,
): Promise<void> {
  const removals = await asKnown(site, caller, async (known) => {
    // In the order of all other changes of files and albums.
    await lockSite(known.db)
    const visibility = await checkMayChange(known, caller, id)
    checkVersion((await albumOfId(known.db, id)).version)
    const trashed = trashesFiles ? await trashFilesOf(known, visibility, id) : []
    await removeAlbum(known, id)
    return trashed
  })
  await removeBytesNow(site, removals)
}

const batchSize = 500

/** Returns the bytes to remove after the commit, on a site without a trash. */
async function trashFilesOf(site: ChangingSite, visibility: Visibility, albumId: string): Promise<Removal[]> {
  const removals: Removal[] = []
  for (;;) {
    const files = await filesOfAlbum(site.db, albumId, batchSize)
    if (files.length === 0) return removals
    removals.push(...(await deleteOrTrash(site, files, { isPermanent: false, visibility })))
  }
}

/** Refuses a caller who does not see the album as unknown, and one who only sees it as not allowed. */
export async function checkMayChange(site: Site, caller: UserCaller, id: string): Promise<Visibility> {
  const visibility = visibilityById(caller)
  const album = await findVisibleAlbum(site.db, visibility, id)
  if (!album) throw albumNotFound(id)
  if (!visibility.seesAll && album.userId !== caller.userId) throw scopeMissing('admin')
  return visibility
}

/** One transaction, for a caller who is still known. */
export const asKnown = <T>(
  site: ChangingSite,
  caller: UserCaller,
  work: (site: ChangingSite) => Promise<T>,
): Promise<T> =>
  inTransaction(site.db, async (db: SiteDb) => {
    await checkStillKnown(db, caller, site.clock.now())
    return work({ ...site, db })
  })

async function seenAlbum(site: Site, visibility: Visibility, album: Album): Promise<SeenAlbum> {
  const [seen] = await withContents(site.db, visibility, { albums: [album], now: site.clock.now() })
  return seen ?? Promise.reject(albumNotFound(album.id))
}

/** Likes an album that the caller sees, or takes the like back. May be repeated. */
export async function likeAlbum(
  site: ChangingSite,
  caller: UserCaller,
  { id, isLiked }: { id: string; isLiked: boolean },
): Promise<void> {
  await asKnown(site, caller, async ({ db, clock }) => {
    // Locks the total before the rows, as the deletion of an album does.
    await addToTotal(db, 'albumLikes', 0)
    if (!(await findVisibleAlbum(db, visibilityById(caller), id))) throw albumNotFound(id)
    const like = { albumId: id, userId: caller.userId }
    const isChanged = isLiked ? await insertAlbumLike(db, like, clock.now()) : await deleteAlbumLike(db, like)
    if (!isChanged) return
    const change = isLiked ? 1 : -1
    await addToTotal(db, 'albumLikes', change)
    await addAlbumLikes(db, id, change)
  })
}
