import { findUserByName, hashPassword, limitReached } from '../accounts/index.ts'
import { inTransaction } from '../db/index.ts'
import { randomId } from '../lib/ids.ts'
import { addToTotal, limitOf, type Site } from '../site/index.ts'
import { type Album, insertAlbum, type Privacy } from './albums-table.ts'
import { invalidField, noSuchUser } from './errors.ts'

interface NewAlbum {
  username: string
  title: string
  privacy: Privacy
  password?: string | undefined
}

export async function createAlbum(site: Site, input: NewAlbum): Promise<Album> {
  const title = input.title.trim()
  if (title === '' || [...title].length > 100) throw invalidField('title', 'must be 1 to 100 characters long')
  if ((input.privacy === 'password') !== Boolean(input.password)) {
    throw invalidField('password', 'must be given for an album with a password, and only there')
  }
  const owner = await findUserByName(site.db, input.username)
  if (!owner) throw noSuchUser(input.username)
  const passwordHash = input.password ? await hashPassword(input.password) : undefined
  const createdAt = site.clock.now()
  const album: Album = { id: randomId(), userId: owner.id, title, privacy: input.privacy, createdAt }
  const limit = limitOf(site.values, 'SERVICE_MAX_ALBUMS')

  await inTransaction(site.db, async (db) => {
    if (!(await addToTotal(db, 'albums', 1, limit))) throw limitReached('SERVICE_MAX_ALBUMS', limit ?? 0)
    await insertAlbum(db, { ...album, passwordHash })
  })
  return album
}
