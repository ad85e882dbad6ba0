import { Type } from 'typebox'
import type { CreatedPosition } from '../../../accounts/index.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { nameOf } from '../../../http/uploads/upload-metadata.ts'
import {
  endOwnUpload,
  isBeingFinished,
  listOwnUploads,
  type ResumableUpload,
  readOwnUpload,
  unfinishedUpload,
  uploadNotFound,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaAnswer, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import { changeRefusals, noContent, refusedAs, scopedRefusals } from '../responses.ts'
import { idOf, userOf } from '../rules/call-parts.ts'
import { answerPage, pageParameters } from '../rules/pages.ts'
import { ofId, PageOf, UnfinishedUploadObject, writeUnfinishedUpload } from '../wire.ts'
import { FinishedUploadObject, openFinished } from './finished-answer.ts'
import { checkTusVersion, writeExpires } from './tus-headers.ts'
import { tusRefusals, uploadRefusals } from './tus-refusals.ts'

export const getResumables: MediaEndpoint = {
  tag: 'Resumable uploads',
  summary: 'List your unfinished uploads',
  description:
    'The youngest first. Finished, terminated and expired uploads are left out, and so are those that visitors send to your albums.',
  access: 'upload',
  query: Type.Object(pageParameters),
  responses: {
    200: { description: 'A page of uploads.', schema: PageOf(UnfinishedUploadObject) },
    ...scopedRefusals,
  },
  handle: (call) =>
    answerPage<ResumableUpload, CreatedPosition>(call, {
      list: 'uploads',
      sort: '-created',
      filter: {},
      read: (page) => listOwnUploads(call.site, userOf(call), page),
      positionOf: ({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }),
      write: (upload) => writeUnfinishedUpload(upload, nameOf(upload)),
    }),
}

export const getResumable: MediaEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Read the answer of a finished upload',
  description:
    'What the upload has become: what `POST /api/5/files` answers, `delete_url` included, and beside it the answer of ' +
    '`POST /api/1/upload`. For 24 hours after the end.',
  access: 'guest-or-share-upload',
  params: ofId,
  responses: {
    200: { description: 'The file.', schema: FinishedUploadObject },
    ...scopedRefusals,
    ...uploadRefusals,
    409: refusedAs('The upload is not finished.', unfinishedUpload(8_388_608, 20_000_000)),
  },
  handle: async (call) => {
    const upload = await readOwnUpload(call.site, call.caller, idOf(call, uploadNotFound))
    return { status: 200, body: openFinished(call, upload) }
  },
}

/** What HEAD reports of an upload. */
export const stateHeaders = {
  'Upload-Offset': 'How many bytes are stored',
  'Upload-Length': 'The size of the file in bytes',
  'Upload-Metadata': 'As it was sent when the upload was created, if it was',
  'Upload-Expires': 'When the upload ends if no more bytes come; while it is not finished',
  'Content-Location': 'The address of the file, once the upload is finished',
  'Retry-After': 'Seconds to wait, while a server makes the file',
}

export const headResumable: MediaEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Ask how much of a resumable upload is stored',
  description: 'Of an upload that is finished or not, for 24 hours after its end. A refusal has no body.',
  access: 'guest-or-share-upload',
  requestHeaders: ['TusResumable'],
  params: ofId,
  responses: {
    200: { description: 'The state of the upload.', headers: stateHeaders },
    ...scopedRefusals,
    ...tusRefusals,
    ...uploadRefusals,
  },
  handle: (call) => answerOffset(call),
}

export async function answerOffset(call: MediaCall): Promise<MediaAnswer> {
  const { site, caller, request, reply } = call
  checkTusVersion(request, reply)
  const upload = await readOwnUpload(site, caller, idOf(call, uploadNotFound))
  return {
    status: 200,
    headers: {
      'upload-offset': String(upload.offsetBytes),
      'upload-length': String(upload.lengthBytes),
      ...(upload.metadata !== '' && { 'upload-metadata': upload.metadata }),
      ...(upload.fileId === undefined
        ? { 'upload-expires': writeExpires(upload.expiresAt) }
        : { 'content-location': `/api/5/files/${upload.fileId}` }),
      // The last bytes are there: a client that sends them again is refused with 423.
      ...(isBeingFinished(upload, site.clock.now()) && { 'retry-after': '1' }),
    },
  }
}

export const deleteResumable: ChangingEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Terminate a resumable upload',
  description:
    'Removes what was sent, and releases what was reserved. A file that the upload has become stays.',
  access: 'guest-or-share-upload',
  proof: noProof.ownThings,
  rate: 'reads',
  requestHeaders: ['TusResumable'],
  params: ofId,
  isBodyUnread: true,
  responses: { 204: noContent, ...changeRefusals, ...tusRefusals, ...uploadRefusals },
  handle: (call) => endUpload(call),
}

export async function endUpload(call: MediaCall): Promise<MediaAnswer> {
  const { app, site, caller, request, reply } = call
  checkTusVersion(request, reply)
  const id = idOf(call, uploadNotFound)
  await changeSite(app.control, site, (changing) => endOwnUpload(changing, caller, id))
  return { status: 204 }
}
