import { scopeMissing } from '../../../accounts/index.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { OrderBody, orderFaults, readOrder } from '../../../http/wire/albums.ts'
import { ofId } from '../../../http/wire/common.ts'
import { albumNotFound, likeAlbum, orderFiles } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint } from '../media-endpoint.ts'
import { changeRefusals, noContent, onceRefusals, refusedAs } from '../responses.ts'
import { idOf, userOf } from '../rules/call-parts.ts'
import { changeOnce } from '../rules/idempotency.ts'

const unknownAlbum = refusedAs(
  'The album does not exist, or the caller may not see it.',
  albumNotFound('Zk3Qm8vTxLw2'),
)

export const postOrder: ChangingEndpoint = {
  tag: 'Albums',
  summary: 'Order the files of an album',
  description:
    'Puts up to 500 files, in the order given, before another file of the album, or at its end. ' +
    'The sort `position` shows this order; new ' +
    'files come first.',
  access: 'write',
  proof: noProof.ownThings,
  params: ofId,
  body: OrderBody,
  bodyExample: { ids: ['Zk3Qm8vTxLw2', '4Jx0bQ2mVt7K'], before: null },
  bodyFaults: orderFaults,
  responses: {
    204: noContent,
    ...onceRefusals,
    403: refusedAs('The album belongs to another user, or the scope is missing.', scopeMissing('admin')),
    404: unknownAlbum,
  },
  handle: (call) =>
    changeOnce(call, async (site) => {
      const albumId = idOf(call, albumNotFound)
      await orderFiles(site, userOf(call), { albumId, ...readOrder(call.body) })
      return { status: 204 }
    }),
}

const like = (isLiked: boolean): ChangingEndpoint => ({
  tag: 'Albums',
  summary: isLiked ? 'Like an album' : 'Remove the like of an album',
  description: 'Can be repeated. The version of the album does not change.',
  access: 'write',
  proof: noProof.ownThings,
  params: ofId,
  responses: { 204: noContent, ...changeRefusals, 404: unknownAlbum },
  handle: async (call) => {
    const id = idOf(call, albumNotFound)
    await changeSite(call.app.control, call.site, (site) => likeAlbum(site, userOf(call), { id, isLiked }))
    return { status: 204 }
  },
})

export const putAlbumLike: ChangingEndpoint = like(true)
export const deleteAlbumLike: ChangingEndpoint = like(false)
