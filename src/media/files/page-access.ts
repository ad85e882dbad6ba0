import type { Actor } from '../../accounts/index.ts'
import type { Site } from '../../site/index.ts'
import type { PasswordAlbum } from '../albums/album-password.ts'
import { type Album, findAlbum, findAlbumPassword } from '../albums/albums-table.ts'
import { fileNotFound } from '../errors.ts'
import type { StoredFile } from './stored-file.ts'

/** How a caller may see the page of a file. The URLs of its bytes need no access. */
export interface PageAccess {
  /** False if search engines and lists must not show the page. */
  isListed: boolean
  /** The album that the file is in. */
  album: Album | undefined
  /** The album whose password the caller must know. */
  lock: PasswordAlbum | undefined
}

/**
 * Decides by the privacy of the file and of its album. The owner of a file, administrators and managers see its page whatever
 * both are, and the owner of an album every file in it that is not private.
 */
export async function pageAccessOf(site: Site, actor: Actor, file: StoredFile): Promise<PageAccess> {
  if (!maySeeFile(actor, file)) throw fileNotFound()
  const album = await albumOf(site, file)
  if (!album) return { isListed: isOpen(file), album, lock: undefined }
  const isListed = album.privacy === 'public' && isOpen(file)
  if (mayChangeFile(actor, file) || isOwner(actor, album)) return { isListed, album, lock: undefined }
  if (album.privacy === 'private') throw fileNotFound()
  if (album.privacy !== 'password') return { isListed, album, lock: undefined }
  const passwordHash = await findAlbumPassword(site.db, album.id)
  // The album was deleted or changed since it was read.
  if (passwordHash === undefined) throw fileNotFound()
  return { isListed, album, lock: { albumId: album.id, passwordHash } }
}

/** Whether the file has no page for this caller. */
export async function isHidden(site: Site, actor: Actor, file: StoredFile): Promise<boolean> {
  if (!maySeeFile(actor, file)) return true
  const album = await albumOf(site, file)
  return album?.privacy === 'private' && !mayChangeFile(actor, file) && !isOwner(actor, album)
}

/** The owner of a file, administrators and managers. */
export const mayChangeFile = (actor: Actor, file: Pick<StoredFile, 'userId'>): boolean =>
  isOwner(actor, file) || (actor.kind === 'user' && actor.albumId === undefined && actor.role !== 'user')

const albumOf = async (site: Site, { albumId }: StoredFile) =>
  albumId === undefined ? undefined : findAlbum(site.db, albumId)

const isOwner = (actor: Actor, { userId }: Pick<Album | StoredFile, 'userId'>) =>
  actor.kind === 'user' && actor.userId === userId

const isOpen = ({ isPrivate, isApproved }: StoredFile) => !isPrivate && isApproved

/** A file that waits for approval is as hidden as a private one. */
const maySeeFile = (actor: Actor, file: StoredFile) => isOpen(file) || mayChangeFile(actor, file)
