import type { Actor } from '../accounts/index.ts'
import type { Site } from '../site/index.ts'
import { titlesOfUser } from './albums/albums-table.ts'
import { allCategories } from './files/labels/categories-table.ts'

/** What an uploader chooses from. */
export interface UploadChoices {
  albums: readonly { id: string; title: string }[]
  categories: readonly { id: number; name: string }[]
}

const mostAlbums = 500

/** Albums of the uploader, those changed last first; guests have none. */
export async function readUploadChoices(site: Site, actor: Actor): Promise<UploadChoices> {
  const bound = actor.kind === 'user' ? actor.albumId : undefined
  const albums = actor.kind === 'user' ? await titlesOfUser(site.db, actor.userId, mostAlbums) : []
  return {
    albums: bound === undefined ? albums : albums.filter(({ id }) => id === bound),
    categories: await allCategories(site.db),
  }
}
