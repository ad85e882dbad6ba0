import { badRequest } from '../../../http/responses/errors.ts'
import { albumAccessOf, type FilePosition, listShownFiles, type StoredFile } from '../../../media/index.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { askPassword } from '../../password/ask-password.ts'
import { hasUnlockToken } from '../../password/unlock-token.ts'
import { albumIdOf, callerOf, type FileList, openList } from '../lists/file-list.ts'
import { mostZipped, sendZip } from './send-zip.ts'

const pageSize = 500

/** All files of an album that the caller sees, as one download. */
export const getAlbumZip: PageHandler = async (call) => {
  const { app, site, request, reply, reader } = call
  const { album, lock } = await albumAccessOf(site, callerOf(call), albumIdOf(call.params.name ?? ''))
  if (lock && !hasUnlockToken(app, site, { request, lock }))
    return askPassword(app, site, { request, reply, lock, isAlbum: true, reader })
  const files = await filesOf(call, await openList(call, `album:${album.id}`))
  return sendZip(call, { name: album.title, files })
}

/** Refused if they are too many for one download. */
export async function filesOf(
  { site }: PageCall,
  { selection, sort, caller }: FileList,
): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for (let after: FilePosition | undefined; ; ) {
    const page = { selection, sort, after, limit: pageSize, hasExif: false }
    const found = await listShownFiles(site, caller, page)
    files.push(...found.map(({ file }) => file))
    if (files.length > mostZipped)
      throw badRequest(
        `A zip holds at most ${mostZipped} files. Download this album in parts, or by the API.`,
      )
    after = found.length === pageSize ? found.at(-1)?.position : undefined
    if (!after) return files
  }
}
