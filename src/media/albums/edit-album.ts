import { hashPassword } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import { type ChangingSite, lockTotal, recordChange } from '../../site/index.ts'
import { invalidField } from '../errors.ts'
import { lockSite } from '../lock-site.ts'
import { hasFileIn } from './album-lists-table.ts'
import { albumOfId, checkOpenness, passwordOf } from './albums.ts'
import { type Album, findAlbumPassword, type Privacy, updateAlbum } from './albums-table.ts'
import { checkedTitle, checkPassword, passwordUnneeded, usualSort } from './album-rules.ts'
import { checkedParent, closeBelow, levelsBelow } from './rules/album-tree.ts'

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
    throw invalidField('cover_file_id', 'must be a file in this album or below it')
}
