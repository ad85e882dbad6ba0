import { slugOf } from '../../../http/addresses/file-addresses.ts'
import type { SeenAlbum } from '../../../media/index.ts'

/** The address of an album's page. */
export function albumPath({ id, title }: Pick<SeenAlbum, 'id' | 'title'>): string {
  const slug = slugOf(title)
  return `/album/${slug === '' ? id : `${slug}.${id}`}`
}
