import { routeNotFound } from '../../http/responses/errors.ts'
import { readBrandPicture } from '../../media/index.ts'
import type { PageHandler } from '../page-call.ts'
import { sendPicture } from '../pictures.ts'

/** Logo or icon, as long as it is in use. */
export const getBrandPicture: PageHandler = async (call) => {
  const [, sha256 = '', extension = ''] = /^([0-9a-f]{64})\.([a-z]+)$/.exec(call.params.name ?? '') ?? []
  const found = await readBrandPicture(call.site, { sha256, extension })
  if (!found) throw routeNotFound()
  const { picture, content } = found
  return sendPicture(call, { mime: picture.mime, content, caching: 'public, max-age=31536000, immutable' })
}
