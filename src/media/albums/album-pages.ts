import type { Caller } from '../../accounts/index.ts'
import type { Site } from '../../site/index.ts'
import { albumNotFound } from '../errors.ts'
import type { ShownFile } from '../files/list/shown-columns-table.ts'
import { findShownFiles } from '../files/list/shown-files-table.ts'
import { type Visibility, visibilityOf } from '../visibility.ts'
import { type SeenAlbum, withContents } from './album-lists-table.ts'
import type { PasswordAlbum } from './album-password.ts'
import { type Album, albumsBelow, findAlbum, findAlbumPassword, newestFilesOf } from './albums-table.ts'

/** How a caller may see the page of an album. */
export interface AlbumAccess {
  album: Album
  /** The caller may change it. */
  isOwn: boolean
  /** The password that the caller must know. */
  lock: PasswordAlbum | undefined
}

/** A private album has a page for its owner and for administrators and managers alone; all others are told that there is none. */
export async function albumAccessOf(site: Site, caller: Caller, id: string): Promise<AlbumAccess> {
  const visibility = await visibilityOf(site, caller)
  const album = await findAlbum(site.db, id)
  if (!album) throw albumNotFound(id)
  const isOwn = visibility.seesAll || (visibility.userId !== undefined && visibility.userId === album.userId)
  if (isOwn) return { album, isOwn, lock: undefined }
  if (album.privacy === 'private') throw albumNotFound(id)
  if (album.privacy !== 'password') return { album, isOwn, lock: undefined }
  const passwordHash = await findAlbumPassword(site.db, id)
  // The album was deleted or changed since it was read.
  if (passwordHash === undefined) throw albumNotFound(id)
  return { album, isOwn, lock: { albumId: id, passwordHash } }
}

/**
 * The caller with what an opened album shows beyond the caller's own rights: its files that are approved and not private.
 * Call it only after `albumAccessOf`, and after the password if there is one.
 */
export const insideAlbum = (site: Site, caller: Caller, { id }: Pick<Album, 'id'>): Caller => ({
  ...caller,
  share: {
    shareId: `album ${id}`,
    albumId: id,
    fileId: undefined,
    showsFiles: true,
    allowsDownload: true,
    endsAt: site.clock.now(),
  },
})

/** Adds the counts that the caller sees. */
export async function seeAlbum(site: Site, caller: Caller, album: Album): Promise<SeenAlbum> {
  const visibility = await visibilityOf(site, caller)
  const [seen] = await withContents(site.db, visibility, { albums: [album], now: site.clock.now() })
  if (!seen) throw albumNotFound(album.id)
  return seen
}

/** The albums right below an album that the caller has opened, without private ones of others. */
export async function listSubAlbums(site: Site, caller: Caller, { id }: Album): Promise<SeenAlbum[]> {
  const visibility = await visibilityOf(site, caller)
  const below = await albumsBelow(site.db, [id])
  const isSeen = ({ privacy, userId }: Album) =>
    privacy !== 'private' || visibility.seesAll || visibility.userId === userId
  const albums = below.filter(isSeen).sort((a, b) => a.title.localeCompare(b.title, 'en'))
  return withContents(site.db, visibility, { albums, now: site.clock.now() })
}

/** The files that stand for albums: the chosen one, else the newest that the caller sees. By album id. */
export async function coversOf(
  site: Site,
  caller: Caller,
  albums: readonly SeenAlbum[],
): Promise<Map<string, ShownFile>> {
  const visibility: Visibility = await visibilityOf(site, caller)
  const now = site.clock.now()
  const chosen = albums.flatMap(({ id, coverFileId }) => (coverFileId ? [[id, coverFileId] as const] : []))
  const others = albums.flatMap(({ id, coverFileId, fileCount }) => (coverFileId || !fileCount ? [] : [id]))
  const newest = await newestFilesOf(site.db, visibility, { albumIds: others, now })
  const fileOf = new Map([...chosen, ...newest])
  const shown = await findShownFiles(site.db, visibility, { ids: [...new Set(fileOf.values())] }, now)
  const byId = new Map(shown.map((each) => [each.file.id, each]))
  return new Map(
    [...fileOf].flatMap(([albumId, fileId]) => {
      const file = byId.get(fileId)
      return file && !file.file.deletedAt ? [[albumId, file] as const] : []
    }),
  )
}
