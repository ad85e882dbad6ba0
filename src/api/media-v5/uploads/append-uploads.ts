import { disconnectSignal } from '../../../http/connection/running-work.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { uploadRefusal } from '../../../http/uploads/sent-file.ts'
import {
  longerThanUpload,
  type ResumableUpload,
  readOwnUpload,
  takeUploadOver,
  uploadNotFound,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { fileRefusals } from '../files/file-forms.ts'
import type { ChangingEndpoint, MediaAnswer, MediaCall } from '../media-endpoint.ts'
import { refusedAs } from '../responses.ts'
import { idOf, ofId } from '../rules/call-parts.ts'
import { checkMaySend } from './create-uploads.ts'
import { answerOffset, endUpload, stateHeaders } from './read-uploads.ts'
import { receiveBytes } from './receive-bytes.ts'
import {
  announcedBytesOf,
  bytesForms,
  checkBodyType,
  checkTusVersion,
  overriddenMethod,
  readChecksum,
  readCount,
} from './tus-headers.ts'
import { bytesRefusals, tusRefusals, uploadRefusals } from './tus-refusals.ts'

const offsetHeaders = {
  'Upload-Offset': 'How many bytes are stored',
  'Upload-Expires': 'When it ends if no more bytes arrive; only while it is not finished',
  'Content-Location': 'The address of the file, once the upload is finished',
}

const { 422: _once, ...refusals } = fileRefusals

const refusedBytes = {
  ...refusals,
  ...tusRefusals,
  ...uploadRefusals,
  ...bytesRefusals,
  413: refusedAs(
    'The body extends beyond the end of the upload, or is too long for a checksum.',
    longerThanUpload(1_000),
  ),
}

export const patchResumable: ChangingEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Send bytes of a resumable upload',
  description:
    '`Upload-Offset` must be the stored offset. A request takes over the upload from one that ' +
    'is still sending; bytes of a broken connection are kept. While a server processes the ' +
    'file, the request waits up to 5 seconds, then it is 423. `Upload-Checksum` (sha1, sha256, ' +
    'md5; bodies up to 64 MiB) stores all of the body or nothing. The last bytes are ' +
    'answered when the file is stored; a file that is refused has the status of `POST ' +
    '/api/5/files`, and ends the upload.',
  access: 'guest-or-share-upload',
  proof: noProof.ownThings,
  rate: 'reads',
  requestHeaders: ['TusResumable', 'UploadOffset', 'UploadChecksum'],
  isBodyUnread: true,
  params: ofId,
  forms: bytesForms,
  responses: { 204: { description: 'The bytes are stored.', headers: offsetHeaders }, ...refusedBytes },
  handle: append,
}

export const postToResumable: ChangingEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Send bytes of a resumable upload by POST',
  description:
    'For clients that can send no other method: `X-HTTP-Method-Override` names the method, PATCH, HEAD or DELETE.',
  access: 'guest-or-share-upload',
  proof: noProof.ownThings,
  rate: 'reads',
  requestHeaders: ['TusResumable', 'MethodOverride', 'UploadOffsetOfPatch', 'UploadChecksum'],
  isBodyUnread: true,
  params: ofId,
  forms: bytesForms,
  isBodyOptional: true,
  responses: {
    200: { description: 'Instead of HEAD: the state of the upload.', headers: stateHeaders },
    204: { description: 'Done.', headers: offsetHeaders },
    ...refusedBytes,
  },
  handle: async (call) => {
    const method = overriddenMethod(call.request)
    if (method === 'PATCH') return append(call)
    return method === 'DELETE' ? endUpload(call) : answerOffset(call)
  },
}

async function append(call: MediaCall): Promise<MediaAnswer> {
  const { app, site, caller, request, reply } = call
  checkTusVersion(request, reply)
  try {
    await checkMaySend(call)
    const offsetBytes = readCount(request, 'Upload-Offset')
    checkBodyType(request)
    const checksum = readChecksum(request)
    const upload = await readOwnUpload(site, caller, idOf(call, uploadNotFound))
    if (offsetBytes + (announcedBytesOf(request) ?? 0) > upload.lengthBytes)
      throw longerThanUpload(upload.lengthBytes)
    // A client that missed the last response asks once more.
    if (upload.fileId !== undefined && offsetBytes === upload.lengthBytes) return answerFinished(upload)
    const { token } = await changeSite(app.control, site, (changing) =>
      takeUploadOver(changing, upload, offsetBytes, disconnectSignal(reply)),
    )
    return { status: 204, headers: await receiveBytes(call, { upload, token, offsetBytes, checksum }) }
  } catch (error) {
    throw uploadRefusal(error)
  }
}

const answerFinished = ({ lengthBytes, fileId }: ResumableUpload): MediaAnswer => ({
  status: 204,
  headers: { 'upload-offset': String(lengthBytes), 'content-location': `/api/5/files/${fileId}` },
})
