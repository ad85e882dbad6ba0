import { findUserByName, hashPassword, limitReached, userNotFound } from '../accounts/index.ts'
import { inTransaction, type SiteDb } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { addToTotal, limitOf, lockTotal, type Site } from '../site/index.ts'
import {
  type Album,
  deleteAlbumRow,
  findAlbum,
  findAlbumPassword,
  insertAlbum,
  type Privacy,
  updateAlbum,
} from './albums-table.ts'
import { albumNotFound, invalidField } from './errors.ts'
import { waitInLine } from './line.ts'

interface NewAlbum {
  username: string
  title: string
  privacy: Privacy
  password?: string | undefined
}

export async function createAlbum(site: Site, input: NewAlbum): Promise<Album> {
  const title = checkedTitle(input.title)
  if (input.privacy === 'password' && !input.password) throw passwordMissing()
  checkPassword(input.privacy, input.password)
  // Asked before the password is hashed, which takes a while, and again where nobody is deleted meanwhile.
  if (!(await findUserByName(site.db, input.username))) throw userNotFound(input.username)
  const passwordHash = input.password ? await hashPassword(input.password) : undefined
  const limit = limitOf(site.values, 'SERVICE_MAX_ALBUMS')

  return inTransaction(site.db, async (db) => {
    if (!(await addToTotal(db, 'albums', 1, limit))) throw limitReached('SERVICE_MAX_ALBUMS', limit ?? 0)
    const owner = await findUserByName(db, input.username)
    if (!owner) throw userNotFound(input.username)
    const createdAt = site.clock.now()
    const album: Album = { id: randomId(), userId: owner.id, title, privacy: input.privacy, createdAt }
    await insertAlbum(db, { ...album, passwordHash })
    return album
  })
}

interface AlbumEdit {
  id: string
  title?: string | undefined
  privacy?: Privacy | undefined
  password?: string | undefined
}

/** Changes an album; what is not given stays. A new password ends what the old one has opened. */
export async function editAlbum(site: Site, { id, ...edit }: AlbumEdit): Promise<Album> {
  const known = await albumOfId(site.db, id)
  const newTitle = edit.title === undefined ? undefined : checkedTitle(edit.title)
  checkPassword(edit.privacy ?? known.privacy, edit.password)
  const newHash = edit.password === undefined ? undefined : await hashPassword(edit.password)

  return inTransaction(site.db, async (db) => {
    await lockTotal(db, 'albums')
    const album = await albumOfId(db, id)
    const { title = album.title, privacy = album.privacy } = { title: newTitle, privacy: edit.privacy }
    const passwordHash = privacy === 'password' ? (newHash ?? (await findAlbumPassword(db, id))) : undefined
    if (privacy === 'password' && passwordHash === undefined) throw passwordMissing()
    await updateAlbum(db, id, { title, privacy, passwordHash }, site.clock.now())
    return { ...album, title, privacy }
  })
}

/** Its files stay, without an album. */
export function removeAlbum(site: Site, id: string): Promise<{ album: Album; files: number }> {
  return inTransaction(site.db, async (db) => {
    // Whoever uploads into it right now has been stored before, or finds it gone.
    await waitInLine(db)
    const album = await albumOfId(db, id)
    return { album, files: await dropAlbum(db, id) }
  })
}

/** Tells how many files are left without it. Part of the caller's transaction. */
export async function dropAlbum(db: SiteDb, id: string): Promise<number> {
  await addToTotal(db, 'albums', -1)
  const gone = await deleteAlbumRow(db, id)
  if (!gone) throw albumNotFound(id)
  await addToTotal(db, 'albumViews', -gone.views)
  await addToTotal(db, 'albumLikes', -gone.likes)
  return gone.files
}

async function albumOfId(db: SiteDb, id: string): Promise<Album> {
  // Not every store can be asked for every character.
  const album = /^[A-Za-z0-9]{1,64}$/.test(id) ? await findAlbum(db, id) : undefined
  if (!album) throw albumNotFound(id)
  return album
}

function checkedTitle(text: string): string {
  const title = text.trim()
  if (title === '' || [...title].length > 100) throw invalidField('title', 'must be 1 to 100 characters long')
  return title
}

function checkPassword(privacy: Privacy, password: string | undefined): void {
  if (password === undefined) return
  if (privacy !== 'password')
    throw invalidField('password', `must be given only for the privacy password, not for ${privacy}`)
  const length = [...password].length
  if (length < 4 || length > 128)
    throw invalidField('password', `must be 4 to 128 characters long, not ${length}`)
}

const passwordMissing = () => invalidField('password', 'must be given for the privacy password')
