import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import { type FileType, fileAt } from '../../../http/requests/file-at.ts'
import { faultOf } from '../../../lib/faults.ts'
import { isId } from '../../../lib/ids.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import {
  albumAccessOf,
  mayChangeFile,
  mostSharedFiles,
  notYourAlbum,
  notYourFile,
  readAlbum,
  readOwnShare,
  readShownFiles,
} from '../../../media/index.ts'
import { writeCount } from '../../../words/format.ts'
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

/** The files that the form names, or those of the share that it changes, if the caller may share them. */
export const sharedFiles = async (call: PageCall): Promise<Shared> => {
  const shareId = call.form.get('id') ?? call.query.get('share') ?? ''
  if (shareId === '') return selectedFiles(call, idsIn(call.form.get('file_ids') ?? ''))
  const { fileIds = [] } = await readOwnShare(call.site, userOf(call), shareId.slice(0, 64))
  return selectedFiles(call, fileIds)
}

/** Files of a list, in its order. */
export async function selectedFiles(call: PageCall, ids: readonly string[]): Promise<Shared> {
  const { site, reader } = call
  const files = await readShownFiles(site, userOf(call), ids)
  if (!files.every(({ file }) => mayChangeFile(userOf(call), file))) throw notYourFile()
  const [privacy = 'private', ...others] = new Set(files.map((shown) => shown.privacy))
  return {
    of: 'files',
    id: '',
    fileIds: ids,
    title: writeCount(reader.language, reader.words.files, ids.length),
    path: '/mine',
    privacy: others.length > 0 ? 'mixed' : privacy,
  }
}

function idsIn(text: string): string[] {
  const ids = [...new Set(text.split(','))]
  if (!ids.every((id) => isId(id))) throw invalidFields([faultOf('file_ids', 'id')])
  if (ids.length > mostSharedFiles)
    throw invalidFields([faultOf('file_ids', 'mostEntries', { most: mostSharedFiles, count: ids.length })])
  return ids
}
