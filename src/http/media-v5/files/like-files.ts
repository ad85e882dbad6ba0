import { fileInTrash, likeFile as likeFileOfCaller, noSuchFile } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { MediaEndpoint } from '../media-endpoint.ts'
import { noContent, refusedAs, scopedRefusals } from '../responses.ts'
import { idOf, userOf } from '../rules/call-parts.ts'
import { ofId } from '../wire.ts'
import { unknownFile } from './read-files.ts'

const liking = (isLiked: boolean): Omit<MediaEndpoint, 'summary'> => ({
  tag: 'Files',
  description: 'May be repeated. The version of the file stays.',
  access: 'write',
  params: ofId,
  responses: {
    204: noContent,
    ...scopedRefusals,
    404: unknownFile,
    409: refusedAs('The file is in the trash.', fileInTrash()),
  },
  handle: async (call) => {
    const like = { id: idOf(call, noSuchFile), isLiked }
    await changeSite(call.app.control, call.site, (site) => likeFileOfCaller(site, userOf(call), like))
    return { status: 204 }
  },
})

export const putLike: MediaEndpoint = { ...liking(true), summary: 'Like a file' }
export const deleteLike: MediaEndpoint = { ...liking(false), summary: 'Like a file no more' }
