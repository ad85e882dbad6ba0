import { drawingOf, keyOf, noSuchFile, readShownFile } from '../../../../media/index.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { sendPicture } from '../../send-picture.ts'

/**
 * Our own drawing of a file that waits for approval or is in the trash, for its owner and the staff. Never the bytes that
 * were sent: they could be a document with a script.
 */
export const getWithheldPicture: PageHandler = async (call) => {
  const { site, params } = call
  const id = /^[A-Za-z0-9]{1,64}$/.test(params.id ?? '') ? (params.id ?? '') : ''
  const { file } = await readShownFile(site, userOf(call), { id })
  const drawn = drawingOf(file)
  const stored = drawn && (await site.storage.read(keyOf(file, drawn)))
  if (!stored) throw noSuchFile(id)
  return sendPicture(call, { mime: drawn.mime, content: stored.content, caching: 'private, no-store' })
}
