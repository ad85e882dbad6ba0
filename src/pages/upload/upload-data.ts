import type { Caller } from '../../accounts/index.ts'
import type { UploadData } from '../../common/upload-wire.ts'
import { isId } from '../../lib/ids.ts'
import { largestUpload, mayUploadUrl, type UploadChoices } from '../../media/index.ts'
import { assetPath } from '../../ui/assets/assets.ts'
import { writeSize } from '../../words/format.ts'
import type { PageCall } from '../page-call.ts'

const guest: Caller = { kind: 'guest', hasPublicKey: false }

/** The user of the session, else a guest. */
export const uploaderOf = ({ session }: Pick<PageCall, 'session'>): Caller => session?.caller ?? guest

/** Names the uploader to the queue, which shows the rows of one person alone. */
export const ownerOf = ({ session }: Pick<PageCall, 'session'>): string => session?.caller.userId ?? 'guest'

/** The album that the address names: files from the page of an album go into it. */
export function albumAsked({ query }: Pick<PageCall, 'query'>): string | undefined {
  const id = query.get('album') ?? ''
  return isId(id) ? id : undefined
}

/** What the account has chosen for new uploads, by the names of the fields. Its album may be deleted by now. */
function defaultsOf(call: PageCall, { albums }: UploadChoices): UploadData['defaults'] {
  const { albumId: chosen, expiration = '', isNsfw = false } = call.session?.preferences ?? {}
  const ownAlbums = new Set(albums.map(({ id }) => id))
  const albumId = [albumAsked(call), chosen].find((id) => id !== undefined && ownAlbums.has(id))
  return {
    ...(albumId !== undefined && { album_id: albumId }),
    ...(expiration !== '' && { expiration }),
    ...(isNsfw && { nsfw: '1' }),
  }
}

/** What the queue needs to know of its uploader and of the site. */
export async function readUploadData(call: PageCall, choices: UploadChoices): Promise<UploadData> {
  const { site, reader } = call
  const { language, words } = reader
  const uploader = uploaderOf(call)
  const mostBytes = await largestUpload(site, uploader)
  const tooBig = words.queue.tooBig.replace('{size}', writeSize(language, mostBytes))
  return {
    owner: ownerOf(call),
    csrf: reader.formToken ?? null,
    mostBytes,
    hasUrls: await mayUploadUrl(site, uploader),
    sendsAt: '/-/files',
    isCollecting: false,
    // A guest's resumable upload would need the public key.
    resumesAt: call.session ? '/api/5/uploads' : null,
    defaults: defaultsOf(call, choices),
    language,
    icons: assetPath('icons.svg'),
    styles: assetPath('upload.css'),
    words: { ...words.queue, tooBig },
  }
}
