import { type Static, Type } from 'typebox'
import { type CreatedPosition, hashNewPassword } from '../../../accounts/index.ts'
import { shareUrlOf } from '../../../http/addresses/public-url.ts'
import type { DescribedResponse } from '../../../http/endpoint.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { siteKey } from '../../../http/site-key.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
import { idParameter } from '../../../http/wire/query.ts'
import {
  FilesShareBody,
  NewShareBody,
  readShareFields,
  ShareEditBody,
  ShareObject,
  sharedFilesFaults,
  writeShare,
} from '../../../http/wire/shares.ts'
import { faultOf } from '../../../lib/faults.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import {
  albumNotFound,
  createShare,
  editOwnShare,
  isOfOthers,
  listOwnShares,
  type NewShare,
  noSuchFile,
  noSuchShare,
  notYourShare,
  readOwnShare,
  revokeOwnShare,
  type Share,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import {
  bodyRefusals,
  changeRefusals,
  noContent,
  onceRefusals,
  refusedAs,
  scopedRefusals,
} from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'

const unknown = refusedAs('The caller has no such share.', noSuchShare('Zk3Qm8vTxLw2'))

const notYours = refusedAs('The caller may no longer share the album or file.', notYourShare())

type Shared = Pick<NewShare, 'albumId' | 'fileId' | 'fileIds'>

const sharing = (
  described: Pick<ChangingEndpoint, 'summary' | 'description' | 'params' | 'body' | 'bodyExample'>,
  { sharedOf, unknown }: { sharedOf: (call: MediaCall) => Shared; unknown: DescribedResponse },
): ChangingEndpoint => ({
  tag: 'Shares',
  access: 'account-write',
  proof: (call) => isOfOthers(call.site, userOf(call), sharedOf(call)),
  ...described,
  responses: {
    201: {
      description: 'The share.',
      schema: ShareObject,
      headers: { Location: 'The address of the share' },
    },
    ...onceRefusals,
    404: unknown,
  },
  handle: (call) => {
    const { password, maxViews, maxUploads, ...fields } = checkedFields(call)
    const shared = sharedOf(call)
    return prepareAndChangeOnce(
      call,
      () => hashNewPassword(password ?? undefined),
      async (site, passwordHash) => {
        const input = {
          ...fields,
          ...shared,
          passwordHash,
          maxViews: maxViews ?? undefined,
          maxUploads: maxUploads ?? undefined,
        }
        const share = await createShare(site, userOf(call), input, siteKey(call.app, site, 'share tokens'))
        const headers = { location: `/api/5/shares/${share.id}` }
        return { status: 201, body: writeShare(shareUrlOf(call))(share), headers }
      },
    )
  },
})

export const postAlbumShare: ChangingEndpoint = sharing(
  {
    summary: 'Share an album',
    description:
      'Creates a link that opens the album for every visitor who has it, whatever its privacy. ' +
      'With `allow_upload` visitors can add files.',
    params: ofId,
    body: NewShareBody,
    bodyExample: { name: 'for Bob', max_views: 5 },
  },
  {
    sharedOf: (call) => ({ albumId: idOf(call, albumNotFound) }),
    unknown: refusedAs('There is no such album, or not for this caller.', albumNotFound('Zk3Qm8vTxLw2')),
  },
)

const unknownFile = noSuchFile('Zk3Qm8vTxLw2')

export const postFileShare: ChangingEndpoint = sharing(
  {
    summary: 'Share a file',
    description: 'Creates a link that opens the file for every visitor who has it, whatever its privacy.',
    params: ofId,
    body: NewShareBody,
    bodyExample: { name: 'for Bob', max_views: 5 },
  },
  {
    sharedOf: (call) => ({ fileId: idOf(call, noSuchFile) }),
    unknown: refusedAs('There is no such file, or not for this caller.', unknownFile),
  },
)

export const postShare: ChangingEndpoint = {
  ...sharing(
    {
      summary: 'Share several files',
      description:
        'Creates a link that opens these files for every visitor who has it, whatever their privacy. ' +
        'A file that is deleted or expires leaves the share; one in the trash leaves it until it is restored.',
      body: FilesShareBody,
      bodyExample: { file_ids: ['Zk3Qm8vTxLw2', 'UkTxkrv9ieU9'], name: 'for Bob' },
    },
    {
      sharedOf: ({ body }) => ({ fileIds: (body as Static<typeof FilesShareBody>).file_ids }),
      unknown: refusedAs('One of the files does not exist, or not for this caller.', unknownFile),
    },
  ),
  bodyFaults: sharedFilesFaults,
}

/** An end in the past would make a share that opens nothing. */
function checkedFields(call: MediaCall) {
  const fields = readShareFields(call.body)
  if (fields.expiresAt && fields.expiresAt <= call.site.clock.now())
    throw invalidFields([faultOf('expires_at', 'future')])
  return fields
}

export const getShares: MediaEndpoint = {
  tag: 'Shares',
  summary: 'List your shares',
  description:
    'Newest first, without revoked shares. With `album_id` or `file_id` the owner of the album ' +
    'or file, administrators and managers get the shares of all users. `file_id` also finds ' +
    'shares of several files with this one among them.',
  access: 'account-read',
  query: Type.Object({
    ...pageParameters,
    album_id: idParameter('Shares of this album'),
    file_id: idParameter('Shares of this file'),
  }),
  responses: { 200: { description: 'A page of shares.', schema: PageOf(ShareObject) }, ...scopedRefusals },
  handle: (call) => {
    const { album_id: albumId, file_id: fileId } = call.query as { album_id?: string; file_id?: string }
    return answerPage<Share, CreatedPosition>(call, {
      list: 'shares',
      sort: '-created',
      filter: { albumId, fileId },
      read: (page) => listOwnShares(call.site, userOf(call), { albumId, fileId }, page),
      positionOf: ({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }),
      write: writeShare(shareUrlOf(call)),
    })
  },
}

export const getShare: MediaEndpoint = {
  tag: 'Shares',
  summary: 'Read a share',
  access: 'account-read',
  params: ofId,
  responses: { 200: { description: 'The share.', schema: ShareObject }, ...scopedRefusals, 404: unknown },
  handle: async (call) => {
    const share = await readOwnShare(call.site, userOf(call), idOf(call, noSuchShare))
    return { status: 200, body: writeShare(shareUrlOf(call))(share) }
  },
}

export const patchShare: ChangingEndpoint = {
  tag: 'Shares',
  summary: 'Change a share',
  description:
    'Omitted fields keep their values; null clears one. A new password ends the passes of ' +
    'visitors. The link does not change.',
  access: 'account-write',
  proof: async (call) =>
    isOfOthers(call.site, userOf(call), await readOwnShare(call.site, userOf(call), idOf(call, noSuchShare))),
  params: ofId,
  body: ShareEditBody,
  bodyExample: { expires_at: null, max_views: 20 },
  responses: {
    200: { description: 'The share.', schema: ShareObject },
    ...bodyRefusals,
    403: notYours,
    404: unknown,
  },
  handle: async (call) => {
    const { password, ...fields } = checkedFields(call)
    const id = idOf(call, noSuchShare)
    const passwordHash = password === null ? null : await hashNewPassword(password)
    const change = { ...fields, id, ...(passwordHash !== undefined && { passwordHash }) }
    const share = await changeSite(call.app.control, call.site, (site) =>
      editOwnShare(site, userOf(call), change),
    )
    return { status: 200, body: writeShare(shareUrlOf(call))(share) }
  },
}

export const deleteShare: ChangingEndpoint = {
  tag: 'Shares',
  summary: 'Revoke a share',
  description:
    'The link, and every file address that visitors got from it, is 410 from the next request ' +
    'on, on every server. The owner of an album or file can revoke every share of it.',
  access: 'account-write',
  proof: noProof.fewerRights,
  params: ofId,
  responses: { 204: noContent, ...changeRefusals, 403: notYours, 404: unknown },
  handle: async (call) => {
    const id = idOf(call, noSuchShare)
    await changeSite(call.app.control, call.site, (site) => revokeOwnShare(site, userOf(call), id))
    return { status: 204 }
  },
}
