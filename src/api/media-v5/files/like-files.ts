import { noProof } from '../../../http/requests/proof-rule.ts'
import { fileInTrash, likeFile as likeFileOfCaller, noSuchFile } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint } from '../media-endpoint.ts'
import { changeRefusals, noContent, refusedAs } from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { unknownFile } from './read-files.ts'

const liking = (isLiked: boolean): Omit<ChangingEndpoint, 'summary'> => ({
  tag: 'Files',
  description: 'Can be repeated. The version of the file does not change.',
  access: 'write',
  proof: noProof.ownThings,
  params: ofId,
  responses: {
    204: noContent,
    ...changeRefusals,
    404: unknownFile,
    409: refusedAs('The file is in the trash.', fileInTrash()),
  },
  handle: async (call) => {
    const like = { id: idOf(call, noSuchFile), isLiked }
    await changeSite(call.app.control, call.site, (site) => likeFileOfCaller(site, userOf(call), like))
    return { status: 204 }
  },
})

export const putLike: ChangingEndpoint = { ...liking(true), summary: 'Like a file' }
export const deleteLike: ChangingEndpoint = { ...liking(false), summary: 'Remove the like of a file' }
