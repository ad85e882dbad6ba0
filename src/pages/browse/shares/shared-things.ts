import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { type FileType, fileAt } from '../../../http/requests/file-at.ts'
import { albumAccessOf, mayChangeFile, notYourAlbum, notYourFile, readAlbum } from '../../../media/index.ts'
import { type PageCall, userOf } from '../../page-call.ts'
import { albumPath } from '../lists/album-card.ts'
import { albumIdOf, callerOf } from '../lists/file-list.ts'
import { titleOf } from '../viewer/title.ts'
import type { Shared } from './shares-page.ts'

/** The album of the address, if the caller may share it. */
export async function sharedAlbum(call: PageCall): Promise<Shared> {
  const id = albumIdOf(call.params.name ?? '')
  const { album, isOwn } = await albumAccessOf(call.site, callerOf(call), id)
  if (!isOwn) throw notYourAlbum()
  return { of: 'album', id, title: album.title, path: albumPath(album), privacy: album.privacy }
}

/** The file of the address, if the caller may share it. */
export const sharedFile =
  (type: FileType) =>
  async (call: PageCall): Promise<Shared> => {
    const file = await fileAt(call.site, type, call.params.name ?? '', userOf(call))
    if (!mayChangeFile(userOf(call), file)) throw notYourFile()
    const { viewerPath } = addressesOf(call.app, call.site, file)
    const album =
      file.albumId === undefined ? undefined : await readAlbum(call.site, userOf(call), file.albumId)
    const privacy = file.isPrivate ? 'private' : (album?.privacy ?? 'public')
    return { of: 'file', id: file.id, title: titleOf(file), path: viewerPath, privacy }
  }
