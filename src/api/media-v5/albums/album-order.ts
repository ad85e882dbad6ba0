import { type Static, Type } from 'typebox'
import { scopeMissing } from '../../../accounts/index.ts'
import type { LooseBody } from '../../../http/endpoint.ts'
import { Closed, Id, orNull } from '../../../http/fields.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { type Fault, faultOf } from '../../../lib/faults.ts'
import { albumNotFound, likeAlbum, orderFiles } from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint } from '../media-endpoint.ts'
import { changeRefusals, noContent, onceRefusals, refusedAs } from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { changeOnce } from '../rules/idempotency.ts'

const mostOrdered = 500

const OrderBody = Type.Object(
  {
    ids: Type.Array(Id('A file'), {
      minItems: 1,
      maxItems: mostOrdered,
      description: `Files of the album in their new order, at most ${mostOrdered}, each once`,
    }),
    before: Type.Optional(
      orNull(Id('A file'), 'The file before which they are placed, not one of `ids`; null: at the end'),
    ),
  },
  Closed,
)

/** Rules of the body beyond its schema. */
function orderFaults({ ids, before }: LooseBody): Fault[] {
  if (!Array.isArray(ids) || ids.length > mostOrdered) return []
  const doubled = ids.flatMap((id: unknown, index) =>
    ids.indexOf(id) < index ? [faultOf(`ids.${index}`, 'givenTwice')] : [],
  )
  return [...doubled, ...(ids.includes(before) ? [faultOf('before', 'beforeItself')] : [])]
}

function readOrder(body: unknown): { ids: readonly string[]; before: string | undefined } {
  const { ids, before } = body as Static<typeof OrderBody>
  return { ids, before: before ?? undefined }
}

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
