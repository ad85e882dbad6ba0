import { addressesOf } from '../../../http/addresses/file-addresses.ts'
import type { ListedFile, SeenAlbum } from '../../../media/index.ts'
import type { NamedFile } from '../../browse/albums/send-zip.ts'
import type { PageCall } from '../../page-call.ts'

interface Exported {
  named: readonly NamedFile[]
  shown: ReadonlyMap<string, ListedFile>
  albums: readonly SeenAlbum[]
}

/** What a zip of files cannot hold by itself, as JSON with the field names of the API. */
export function exportList(call: PageCall, { named, shown, albums }: Exported): string {
  const { app, site, session, request } = call
  const list = {
    site: site.hostname,
    username: session?.username,
    exported_at: site.clock.now().toISOString(),
    albums: albums.map(({ id, title, description, privacy, parentId, createdAt }) => ({
      id,
      title,
      description: description ?? null,
      privacy,
      parent_id: parentId ?? null,
      created_at: createdAt.toISOString(),
    })),
    files: named.map(({ name, file }) => ({
      name,
      id: file.id,
      original_name: file.originalName,
      title: file.title ?? null,
      description: file.description ?? null,
      tags: shown.get(file.id)?.tags ?? [],
      album_id: file.albumId ?? null,
      is_nsfw: file.isNsfw,
      is_private: file.isPrivate,
      size: file.sizeBytes,
      md5: file.md5,
      created_at: file.createdAt.toISOString(),
      expires_at: file.expiresAt?.toISOString() ?? null,
      url_viewer: addressesOf(app, site, file, { forwarded: request.client.scheme }).viewer,
    })),
  }
  return `${JSON.stringify(list, undefined, 2)}\n`
}
