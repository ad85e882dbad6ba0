import { slugOf } from '../../../http/addresses/file-addresses.ts'
import { publicUrl } from '../../../http/addresses/public-url.ts'
import type { SeenAlbum } from '../../../media/index.ts'
import type { MediaCall } from '../media-endpoint.ts'

/** The address of an album's page. */
export const albumUrlOf =
  ({ app, site, request }: MediaCall) =>
  ({ id, title }: Pick<SeenAlbum, 'id' | 'title'>): string => {
    const slug = slugOf(title)
    const name = slug === '' ? id : `${slug}.${id}`
    return `${publicUrl(app.config, site.hostname, request.client.scheme)}album/${name}`
  }
