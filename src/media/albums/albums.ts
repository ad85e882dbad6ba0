import { findUserByName, hashPassword, limitReached, userNotFound } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { isId, randomId } from '../../lib/ids.ts'
import { addToTotal, type ChangingSite, limitOf, recordChange } from '../../site/index.ts'
import { albumNotFound, invalidField } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import {
  type Album,
  deleteAlbumRow,
  findAlbum,
  findAlbumPassword,
  insertAlbum,
  type Privacy,
} from './albums-table.ts'
import {
  checkedTitle,
  checkPassword,
  isMoreOpen,
  passwordMissing,
  passwordUnneeded,
  usualSort,
} from './album-rules.ts'
import { checkedParent } from './rules/album-tree.ts'

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
export function checkOpenness(privacy: Privacy, parent: Album | undefined): void {
  if (parent && isMoreOpen(privacy, parent.privacy))
    throw invalidField('privacy', `must not be more open than that of the parent album, ${parent.privacy}`)
}

/** The hash of an album's password: a new one, the one it has, or that of the album above it. */
export async function passwordOf(
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
