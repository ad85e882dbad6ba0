import { type Static, Type } from 'typebox'
import type { Caller } from '../../../accounts/index.ts'
import { Closed, Timestamp } from '../../../http/fields.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { siteKey } from '../../../http/site-key.ts'
import { AlbumObject, writeAlbum } from '../../../http/wire/albums.ts'
import { FileObject } from '../../../http/wire/files.ts'
import {
  accessOf,
  fileNotFound,
  isUploadOnly,
  longestPassword,
  mostSharedFiles,
  readAlbum,
  readAlbumTitle,
  readShownFile,
  type Share,
  shareEnded,
  shareForVisitor,
  sharePasswordNeeded,
  takeView,
  unknownShare,
  writePass,
} from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { albumUrlOf } from '../albums/albums.ts'
import { writerOf } from '../files/read-files.ts'
import type { ChangingEndpoint, MediaCall } from '../media-endpoint.ts'
import { onceRefusals, refusedAs } from '../responses.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'

/** Any other text names no share. */
export const ShareToken = Type.String({
  maxLength: 200,
  description: 'The last part of the address of the share',
})

const OpenShareBody = Type.Object(
  {
    token: ShareToken,
    password: Type.Optional(
      Type.String({ maxLength: longestPassword, description: 'Of the share, if it has one' }),
    ),
  },
  Closed,
)

const readOpening = (body: unknown): { token: string; password: string | undefined } => {
  const { token, password } = body as Static<typeof OpenShareBody>
  return { token, password }
}

const OpenedShareObject = Type.Object({
  pass: Type.String({ description: 'Send it as `X-Share`' }),
  expires_at: Timestamp('When the pass ends, at most an hour later'),
  album: Type.Optional(
    Type.Partial(AlbumObject, {
      description: 'The album; only `id` and `title` of an upload-only share',
    }),
  ),
  file: Type.Optional(FileObject),
  file_ids: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: mostSharedFiles,
      description: 'The ids of several files, in their order; `GET /api/5/files?ids=` reads the files',
    }),
  ),
})

export const openShare: ChangingEndpoint = {
  tag: 'Shares',
  summary: 'Open a share',
  description:
    'Uses one view and returns a pass for an hour. Send it as `X-Share`: the other calls of ' +
    'this API then show the album with its files, or the files. This is for programs; the page ' +
    'of a share does the same for browsers.',
  access: 'visitor',
  proof: noProof.link,
  body: OpenShareBody,
  bodyExample: { token: '2mVt7KZk3Qm8vTxLw24Jx0', password: 'nine lives' },
  responses: {
    200: { description: 'The pass, and what it opens.', schema: OpenedShareObject },
    ...onceRefusals,
    403: refusedAs('The password is missing or wrong.', sharePasswordNeeded()),
    404: refusedAs('There is no such share.', unknownShare()),
    410: refusedAs('The share was revoked, suspended or used up, or has expired.', shareEnded()),
  },
  handle: (call) => {
    const opening = { ...readOpening(call.body), address: call.request.client.address }
    return prepareAndChangeOnce(
      call,
      () => shareForVisitor(call.site, opening),
      async (site, found) => {
        const share = await takeView(site, found)
        const { pass, endsAt } = writePass(siteKey(call.app, site, 'share passes'), share, site.clock.now())
        const caller: Caller = { ...call.caller, share: accessOf({ share, endsAt }) }
        const content = await contentOf({ ...call, site, caller }, site, share)
        return { status: 200, body: { pass, expires_at: endsAt.toISOString(), ...content } }
      },
    )
  },
}

async function contentOf(call: MediaCall, site: Site, share: Share) {
  if (share.fileIds?.length === 0) throw fileNotFound()
  if (share.fileIds) return { file_ids: share.fileIds }
  if (share.fileId !== undefined)
    return { file: writerOf(call)(await readShownFile(site, call.caller, { id: share.fileId })) }
  const albumId = share.albumId ?? ''
  if (isUploadOnly(share)) return { album: { id: albumId, title: await readAlbumTitle(site, albumId) } }
  return { album: writeAlbum(albumUrlOf(call))(await readAlbum(site, call.caller, albumId)) }
}
