import type { Actor } from '../accounts/index.ts'
import type { Site } from '../site/index.ts'
import type { AlbumLock } from './album-lock.ts'
import { type Album, findAlbum, findAlbumPassword } from './albums-table.ts'
import { fileNotFound } from './errors.ts'
import type { StoredFile } from './stored-file.ts'

/** How somebody may see the page of a file. The addresses of its bytes are open to whoever has been told them. */
export interface Sight {
  /** False where only those are meant to find it who were given its address. */
  isListed: boolean
  /** What must be opened first. */
  lock: AlbumLock | undefined
}

/** What the privacy of a file's album leaves of its page. In a private album it is there for the owner alone. */
export async function sightOf(site: Site, actor: Actor, file: StoredFile): Promise<Sight> {
  const album = await albumOf(site, file)
  if (!album) return { isListed: true, lock: undefined }
  const isListed = album.privacy === 'public'
  if (isOwner(actor, album)) return { isListed, lock: undefined }
  if (album.privacy === 'private') throw fileNotFound()
  if (album.privacy !== 'password') return { isListed, lock: undefined }
  const passwordHash = await findAlbumPassword(site.db, album.id)
  // Gone or changed since it was found.
  if (passwordHash === undefined) throw fileNotFound()
  return { isListed, lock: { albumId: album.id, passwordHash } }
}

/** Whether the file has no page for this one. */
export async function isHidden(site: Site, actor: Actor, file: StoredFile): Promise<boolean> {
  const album = await albumOf(site, file)
  return album?.privacy === 'private' && !isOwner(actor, album)
}

const albumOf = async (site: Site, { albumId }: StoredFile) =>
  albumId === undefined ? undefined : findAlbum(site.db, albumId)

const isOwner = (actor: Actor, album: Album) => actor.kind === 'user' && actor.userId === album.userId
