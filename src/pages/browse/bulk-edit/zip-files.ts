import { badRequest } from '../../../http/responses/errors.ts'
import { isId } from '../../../lib/ids.ts'
import { readShownFiles } from '../../../media/index.ts'
import type { PageHandler } from '../../page-call.ts'
import { mostZipped, sendZip } from '../albums/send-zip.ts'
import { callerOf } from '../lists/file-list.ts'

/** Selected files as one download: `id` for each, or `ids` with commas between them. Each must be one that the caller may see. */
export const postZip: PageHandler = async (call) => {
  const { form, site } = call
  const listed = (form.get('ids') ?? '').split(',').filter((id) => id !== '')
  const ids = [...new Set([...form.getAll('id'), ...listed])]
  if (ids.length === 0) throw badRequest(`id: ${call.reader.words.selectNone}`)
  if (ids.length > mostZipped)
    throw badRequest(`ids: a zip holds at most ${mostZipped} files, not ${ids.length}`)
  if (!ids.every((id) => isId(id))) throw badRequest('ids: each must be an id of letters and digits')
  const files = await readShownFiles(site, callerOf(call), ids)
  return sendZip(call, { name: 'files', files: files.map(({ file }) => file) })
}
