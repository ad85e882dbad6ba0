import type { SiteDb } from '../../db/index.ts'
import { type BrokenRule, broken, faultOf } from '../../lib/faults.ts'
import { albumCircle, albumTooDeep, invalidField } from '../errors.ts'
import {
  type Album,
  albumsBelow,
  findAlbum,
  type Privacy,
  raiseAddressVersions,
  updatePrivacies,
} from './albums-table.ts'

export const privacies: readonly Privacy[] = ['public', 'link', 'password', 'private']

/** Orders of files that an album may have. */
export const albumSorts: readonly string[] = [
  'created',
  'date',
  'title',
  'name',
  'size',
  'views',
  'likes',
  'position',
].flatMap((name) => [name, `-${name}`])

export const usualSort = 'position'

const deepestLevel = 8

/** `privacies` stand from the most open to the most closed. */
export const isMoreOpen = (privacy: Privacy, than: Privacy): boolean =>
  privacies.indexOf(privacy) < privacies.indexOf(than)

export const longestAlbumText = { title: 100, description: 5_000 }

/** Of the password of an album or a share. */
export const longestPassword = 128

export function checkedTitle(text: string): string {
  const title = text.trim()
  const length = [...title].length
  if (length < 1 || length > longestAlbumText.title)
    throw invalidField(faultOf('title', 'length', { least: 1, most: longestAlbumText.title, length }))
  return title
}

export function checkPassword(privacy: Privacy, password: string | undefined): void {
  if (password === undefined) return
  if (privacy !== 'password') throw passwordUnneeded(privacy)
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalidField({ field: 'password', ...fault })
}

/** Why a text cannot be the password of an album or a share; undefined if it can. */
export function passwordFault(password: string): BrokenRule | undefined {
  const length = [...password].length
  return length >= 1 && length <= longestPassword
    ? undefined
    : broken('length', { least: 1, most: longestPassword, length })
}

export const passwordMissing = () => invalidField(faultOf('password', 'passwordMissing'))

export const passwordUnneeded = (privacy: Privacy) =>
  invalidField(faultOf('password', 'passwordUnneeded', { privacy }))

/** The album that another one is put below: an album of the same user, not too deep, and not below the other one itself. */
export async function checkedParent(
  db: SiteDb,
  { id, userId, parentId }: { id: string | undefined; userId: string; parentId: string },
): Promise<Album> {
  const parent = await findAlbum(db, parentId)
  if (!parent || parent.userId !== userId) throw invalidField(faultOf('parent_id', 'parentAlbum'))
  let depth = 1
  for (let above: Album | undefined = parent; above; depth += 1) {
    if (above.id === id) throw albumCircle()
    above = above.parentId === undefined ? undefined : await findAlbum(db, above.parentId)
  }
  const height = id === undefined ? 0 : (await levelsBelow(db, id)).length
  if (depth + height > deepestLevel) throw albumTooDeep(deepestLevel)
  return parent
}

/** The sub-albums of an album, level by level. */
export async function levelsBelow(db: SiteDb, id: string): Promise<Album[][]> {
  const levels: Album[][] = []
  for (let level = await albumsBelow(db, [id]); level.length > 0; ) {
    levels.push(level)
    level = await albumsBelow(
      db,
      level.map((album) => album.id),
    )
  }
  return levels
}

/**
 * After a change of an album's privacy or password: closes sub-albums that are more open than it, with its password if it
 * has one, and ends the signed addresses of all files concerned.
 */
export async function closeBelow(
  db: SiteDb,
  album: Album,
  { passwordHash, at }: { passwordHash: string | undefined; at: Date },
): Promise<void> {
  const changed = [album.id]
  for (let ids = [album.id]; ids.length > 0; ) {
    // What is below an album that stays as it is, is no more open than that album.
    const open = (await albumsBelow(db, ids)).filter(({ privacy }) => isMoreOpen(privacy, album.privacy))
    ids = open.map(({ id }) => id)
    await updatePrivacies(db, ids, { privacy: album.privacy, passwordHash, at })
    changed.push(...ids)
  }
  await raiseAddressVersions(db, changed)
}
