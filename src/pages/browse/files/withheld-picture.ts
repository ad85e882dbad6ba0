import { isId } from '../../../lib/ids.ts'
import { drawingOf, noSuchFile, readDrawing, readShownFile } from '../../../media/index.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { sendPicture } from '../../pictures.ts'

/**
 * Our own drawing of a file that waits for approval or is in the trash, for its owner and the staff. Never the bytes that
 * were sent: they could be a document with a script.
 */
export const getWithheldPicture: PageHandler = async (call) => {
  const { site, params } = call
  const id = isId(params.id ?? '') ? (params.id ?? '') : ''
  const { file } = await readShownFile(site, userOf(call), { id })
  const drawn = drawingOf(file)
  if (!drawn) throw noSuchFile(id)
  const content = await readDrawing(site, file, drawn)
  return sendPicture(call, { mime: drawn.mime, content, caching: 'private, no-store' })
}
