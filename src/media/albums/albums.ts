import { findUserByName, hashPassword, limitReached, userNotFound } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { faultOf } from '../../lib/faults.ts'
import { isId, randomId } from '../../lib/ids.ts'
import { addToTotal, type ChangingSite, limitOf, lockTotal, recordChange } from '../../site/index.ts'
import { albumNotFound, invalidField } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import { hasFileIn } from './album-lists-table.ts'
import {
  checkedParent,
  checkedTitle,
  checkPassword,
  closeBelow,
  isMoreOpen,
  levelsBelow,
  passwordMissing,
  passwordUnneeded,
  usualSort,
} from './album-rules.ts'
import {
  type Album,
  findAlbum,
  findAlbumPassword,
  insertAlbum,
  type Privacy,
  updateAlbum,
} from './albums-table.ts'
import { deleteAlbumRow } from './delete-album-table.ts'

interface AlbumOfName {
  username: string
  title: string
  privacy: Privacy
  password?: string | undefined
}

/** Creates an album for the user of a name, for an operator. */
export async function createAlbum(
  site: ChangingSite,
  { username, password, ...input }: AlbumOfName,
): Promise<Album> {
  checkedTitle(input.title)
  if (input.privacy === 'password' && password === undefined) throw passwordMissing()
  checkPassword(input.privacy, password)
  // Checked before the slow hashing of the password, and again inside the transaction.
  if (!(await findUserByName(site.db, username))) throw userNotFound(username)
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return inTransaction(site.db, async (db) => {
    const owner = await findUserByName(db, username)
    if (!owner) throw userNotFound(username)
    return addAlbum({ ...site, db }, { ...input, userId: owner.id, passwordHash })
  })
}

export interface NewAlbum {
  userId: string
  title: string
  description?: string | undefined
  /** By default that of the album above it, else public. */
  privacy?: Privacy | undefined
  passwordHash?: string | undefined
  parentId?: string | undefined
  sort?: string | undefined
}

/** Adds an album. Below an album with a password, it has that password unless it is given one of its own. */
export async function addAlbum(site: ChangingSite, input: NewAlbum): Promise<Album> {
  const limit = limitOf(site.values, 'SERVICE_MAX_ALBUMS')
  return inTransaction(site.db, async (db) => {
    // Counting also locks the albums, so that no other change of the tree runs meanwhile.
    if (!(await addToTotal(db, 'albums', 1, limit))) throw limitReached('SERVICE_MAX_ALBUMS', limit ?? 0)
    const { userId, parentId, description, sort = usualSort } = input
    const parent =
      parentId === undefined ? undefined : await checkedParent(db, { id: undefined, userId, parentId })
    const privacy = input.privacy ?? parent?.privacy ?? 'public'
    checkOpenness(privacy, parent)
    if (input.passwordHash !== undefined && privacy !== 'password') throw passwordUnneeded(privacy)
    const passwordHash = await passwordOf(db, { privacy, given: input.passwordHash, parent })
    const at = site.clock.now()
    const album: Album = {
      id: randomId(),
      userId,
      parentId,
      title: checkedTitle(input.title),
      description,
      privacy,
      sort,
      coverFileId: undefined,
      views: 0,
      likes: 0,
      createdAt: at,
      updatedAt: at,
      version: 1,
    }
    await insertAlbum(db, { ...album, passwordHash })
    await recordChange({ ...site, db }, { verb: 'album.created', target: album.id, after: album })
    return album
  })
}

/** A sub-album is never more open than the album above it. */
function checkOpenness(privacy: Privacy, parent: Album | undefined): void {
  if (parent && isMoreOpen(privacy, parent.privacy))
    throw invalidField(faultOf('privacy', 'parentPrivacy', { privacy: parent.privacy }))
}

/** The hash of an album's password: a new one, the one it has, or that of the album above it. */
async function passwordOf(
  db: SiteDb,
  album: { id?: string; privacy: Privacy; given: string | undefined; parent: Album | undefined },
): Promise<string | undefined> {
  if (album.privacy !== 'password') return undefined
  const { id, given, parent } = album
  const own = given ?? (id === undefined ? undefined : await findAlbumPassword(db, id))
  const hash = own ?? (parent && (await findAlbumPassword(db, parent.id)))
  if (hash === undefined) throw passwordMissing()
  return hash
}

/** Deletes an album. Its files stay. */
export function removeAlbum(site: ChangingSite, id: string): Promise<{ album: Album; files: number }> {
  return inTransaction(site.db, async (db) => {
    // A concurrent upload into the album is committed before, or finds no album afterwards.
    await lockSite(db)
    const album = await albumOfId(db, id)
    return { album, files: await dropAlbum({ ...site, db }, album) }
  })
}

/** Returns the number of files that were in the album. Part of the caller's transaction. */
export async function dropAlbum(site: ChangingSite, album: Pick<Album, 'id'>): Promise<number> {
  const { db } = site
  const { id } = album
  await addToTotal(db, 'albums', -1)
  const deleted = await deleteAlbumRow(db, id, site.clock.now())
  if (!deleted) throw albumNotFound(id)
  await addToTotal(db, 'albumViews', -deleted.views)
  await addToTotal(db, 'albumLikes', -deleted.likes)
  await recordChange(site, { verb: 'album.deleted', target: id, before: { ...album, files: deleted.files } })
  return deleted.files
}

export async function albumOfId(db: SiteDb, id: string): Promise<Album> {
  // PostgreSQL refuses some characters, such as NUL, in a text.
  const album = isId(id) ? await findAlbum(db, id) : undefined
  if (!album) throw albumNotFound(id)
  return album
}

interface AlbumEdit {
  id: string
  title?: string | undefined
  privacy?: Privacy | undefined
  password?: string | undefined
}

/** Changes an album, for an operator. A new password invalidates the unlock tokens of the old one. */
export async function editAlbum(site: ChangingSite, { password, ...edit }: AlbumEdit): Promise<Album> {
  const { privacy } = await albumOfId(site.db, edit.id)
  if (edit.title !== undefined) checkedTitle(edit.title)
  checkPassword(edit.privacy ?? privacy, password)
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return changeAlbum(site, { ...edit, passwordHash })
}

/** Fields that are left out stay; null clears one. */
export interface AlbumChange {
  id: string
  title?: string | undefined
  description?: string | null | undefined
  privacy?: Privacy | undefined
  passwordHash?: string | undefined
  parentId?: string | null | undefined
  coverFileId?: string | null | undefined
  sort?: string | null | undefined
}

/** Changes an album that passes the check, and closes what is below it if it is closed further. */
export function changeAlbum(
  site: ChangingSite,
  { id, passwordHash: newHash, ...change }: AlbumChange,
  check: (album: Album) => void = () => undefined,
): Promise<Album> {
  return inTransaction(site.db, async (db) => {
    // Uploads and deletions lock the site before they change rows of files: another order would deadlock.
    await lockSite(db)
    await lockTotal(db, 'albums')
    const album = await albumOfId(db, id)
    check(album)
    const edited = edit(album, change, site.clock.now())
    if (newHash !== undefined && edited.privacy !== 'password') throw passwordUnneeded(edited.privacy)
    const parent = await parentOf(db, edited)
    checkOpenness(edited.privacy, parent)
    if (change.coverFileId) await checkCover(db, edited, site.clock.now())
    const oldHash = await findAlbumPassword(db, id)
    const passwordHash = await passwordOf(db, { id, privacy: edited.privacy, given: newHash, parent })
    await updateAlbum(db, edited, passwordHash)
    if (edited.privacy !== album.privacy || passwordHash !== oldHash)
      await closeBelow(db, edited, { passwordHash, at: edited.updatedAt })
    await recordChange(
      { ...site, db },
      {
        verb: 'album.updated',
        target: id,
        before: { ...album, password: oldHash },
        after: { ...edited, password: passwordHash },
      },
    )
    return edited
  })
}

const edit = (album: Album, change: Omit<AlbumChange, 'id'>, at: Date): Album => ({
  ...album,
  title: change.title === undefined ? album.title : checkedTitle(change.title),
  description: orClear(change.description, album.description),
  privacy: change.privacy ?? album.privacy,
  parentId: orClear(change.parentId, album.parentId),
  coverFileId: orClear(change.coverFileId, album.coverFileId),
  sort: change.sort === undefined ? album.sort : (change.sort ?? usualSort),
  version: album.version + 1,
  updatedAt: at,
})

const orClear = (value: string | null | undefined, stored: string | undefined) =>
  value === undefined ? stored : (value ?? undefined)

const parentOf = async (db: SiteDb, { id, userId, parentId }: Album) =>
  parentId === undefined ? undefined : checkedParent(db, { id, userId, parentId })

async function checkCover(db: SiteDb, { id, coverFileId = '' }: Album, now: Date): Promise<void> {
  const below = (await levelsBelow(db, id)).flat().map((album) => album.id)
  if (!(await hasFileIn(db, coverFileId, { albumIds: [id, ...below], now })))
    throw invalidField(faultOf('cover_file_id', 'fileBelowAlbum'))
}
