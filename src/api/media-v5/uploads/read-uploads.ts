import { Type } from 'typebox'
import type { CreatedPosition } from '../../../accounts/index.ts'
import { Timestamp, writeTime } from '../../../http/fields.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { nameOf } from '../../../http/uploads/upload-metadata.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
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
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { FinishedUploadObject, openFinished } from './receive-bytes.ts'
import { checkTusVersion, writeExpires } from './tus-headers.ts'
import { tusRefusals, uploadRefusals } from './tus-refusals.ts'

const UnfinishedUploadObject = Type.Object({
  id: Type.String({ description: 'The last part of the address of the upload' }),
  filename: Type.String({ description: 'The name of the file; `upload` if the client gave none' }),
  size: Type.Integer({ description: 'Of the whole file, in bytes' }),
  offset: Type.Integer({ description: 'How many bytes are stored' }),
  created_at: Timestamp('When the upload was created'),
  expires_at: Timestamp('When it ends if no more bytes arrive'),
})

const writeUnfinishedUpload = (
  { id, lengthBytes, offsetBytes, createdAt, expiresAt }: ResumableUpload,
  filename: string,
) => ({
  id,
  filename,
  size: lengthBytes,
  offset: offsetBytes,
  created_at: writeTime(createdAt),
  expires_at: writeTime(expiresAt),
})

export const getResumables: MediaEndpoint = {
  tag: 'Resumable uploads',
  summary: 'List your unfinished uploads',
  description:
    'Newest first. The list does not include finished, terminated and expired uploads, nor ' +
    'those that visitors send to your albums.',
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
  summary: 'Get the answer of a finished upload',
  description:
    'The answer of `POST /api/5/files`, including `delete_url`, together with the answer of ' +
    '`POST /api/1/upload`. Available for 24 hours after the end.',
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
  'Upload-Metadata': 'As sent when the upload was created',
  'Upload-Expires': 'When the upload ends if no more bytes arrive; only while it is not finished',
  'Content-Location': 'The address of the file, once the upload is finished',
  'Retry-After': 'Seconds to wait while a server processes the file',
}

export const headResumable: MediaEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Get the offset of a resumable upload',
  description: 'For unfinished uploads, and for 24 hours after their end. A refusal has no body.',
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
  description: 'Deletes the bytes of the upload and releases its reserved storage. A finished file is kept.',
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
