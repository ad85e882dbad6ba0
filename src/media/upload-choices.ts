import type { Actor } from '../accounts/index.ts'
import type { Site } from '../site/index.ts'
import { findAlbum, titlesOfUser } from './albums/albums-table.ts'
import { allCategories } from './files/labels/categories-table.ts'

/** What an uploader chooses from. */
export interface UploadChoices {
  albums: readonly { id: string; title: string }[]
  categories: readonly { id: number; name: string }[]
}

const mostAlbums = 500

/** Albums of the uploader, those changed last first, and the one that is asked for; guests have none. */
export async function readUploadChoices(site: Site, actor: Actor, albumId?: string): Promise<UploadChoices> {
  const bound = actor.kind === 'user' ? actor.albumId : undefined
  const latest = actor.kind === 'user' ? await titlesOfUser(site.db, actor.userId, mostAlbums) : []
  const isLater = latest.length === mostAlbums && !latest.some(({ id }) => id === albumId)
  const asked = albumId !== undefined && isLater ? await findAlbum(site.db, albumId) : undefined
  const albums = asked && actor.kind === 'user' && asked.userId === actor.userId ? [asked, ...latest] : latest
  return {
    albums:
      bound === undefined
        ? albums.map(({ id, title }) => ({ id, title }))
        : albums.filter(({ id }) => id === bound),
    categories: await allCategories(site.db),
  }
}
