import { hash } from 'node:crypto'
import { checkUploadsOn, limitReached, type RequestOfCaller } from '../../../accounts/index.ts'
import { answerOnce, ownerOfKey } from '../../../http/requests/once/answer-once.ts'
import { readIdempotencyKey } from '../../../http/requests/once/idempotency-key.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { checkTexts } from '../../../http/uploads/answer-upload.ts'
import { uploadRefusal } from '../../../http/uploads/sent-file.ts'
import { readMetadata } from '../../../http/uploads/upload-metadata.ts'
import { faultOf } from '../../../lib/faults.ts'
import {
  checkMayUpload,
  createUpload,
  endOwnUpload,
  type NewResumableUpload,
  type ResumableUpload,
  readOwnUpload,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { fileRefusals } from '../files/file-forms.ts'
import type { ChangingEndpoint, MediaAnswer, MediaCall } from '../media-endpoint.ts'
import { refusedAs } from '../responses.ts'
import { receiveBytes } from './receive-bytes.ts'
import {
  bytesForms,
  checkBodyType,
  checkTusVersion,
  hasBody,
  invalidHeader,
  readChecksum,
  readCount,
  writeExpires,
} from './tus-headers.ts'
import { tusRefusals } from './tus-refusals.ts'

export const postResumable: ChangingEndpoint = {
  tag: 'Resumable uploads',
  summary: 'Create a resumable upload',
  description:
    'tus 1.0.0. `Upload-Length` is the size of the file, `Upload-Metadata` has its `filename`, ' +
    'the parameters of an upload, and ' +
    '`replace`, the id of a file that gets these bytes. Everything is checked now, and the ' +
    'storage is reserved. The body may hold ' +
    'the first bytes, as `application/offset+octet-stream`.',
  access: 'guest-or-share-upload',
  proof: noProof.ownThings,
  rate: 'reads',
  requestHeaders: ['TusResumable', 'UploadLength', 'UploadMetadata', 'UploadChecksum'],
  isBodyUnread: true,
  forms: bytesForms,
  isBodyOptional: true,
  responses: {
    201: {
      description: 'The upload.',
      headers: {
        Location: 'The address of the upload',
        'Upload-Expires': 'When it ends if no more bytes arrive',
        'Upload-Offset': 'How many bytes of the body are stored, if there was one',
        'Content-Location': 'The address of the file, if the body was all of it',
      },
    },
    ...fileRefusals,
    ...tusRefusals,
    403: refusedAs(
      'The caller may not upload, or a limit is reached. At the limit on unfinished uploads, the ' +
        'one that has been idle longest ends, unless all of them are being sent.',
      limitReached('SERVICE_MAX_OPEN_UPLOADS', 20),
    ),
  },
  handle: async (call) => {
    const { request, reply } = call
    checkTusVersion(request, reply)
    try {
      await checkMaySend(call)
      return await create(call)
    } catch (error) {
      throw uploadRefusal(error)
    }
  },
}

/** The pass of a share is checked with the upload. */
export async function checkMaySend({ site, caller }: MediaCall): Promise<void> {
  if (caller.share) return
  checkUploadsOn(site, caller)
  await checkMayUpload(site, caller)
}

async function create(call: MediaCall): Promise<MediaAnswer> {
  const { app, site, caller, request } = call
  const isWithBytes = hasBody(request)
  if (isWithBytes) checkBodyType(request)
  const input = readNewUpload(call)
  const checksum = readChecksum(request)
  const once = onceOf(call, input)
  const { answer: upload, isReplayed } = await answerOnce<ResumableUpload>(app, site, once, (keep) =>
    changeSite(app.control, site, (changing) =>
      createUpload(changing, caller, { ...input, isWithBytes, keep }),
    ),
  )
  const headers = {
    location: `/api/5/uploads/${upload.id}`,
    'upload-expires': writeExpires(new Date(upload.expiresAt)),
  }
  if (isReplayed) return { status: 201, headers: { ...headers, 'idempotency-replayed': 'true' } }
  if (!isWithBytes) return { status: 201, headers }
  const receiving = { upload, token: upload.token, offsetBytes: 0, checksum }
  const received = await receiveBytes(call, receiving).catch(async (error: unknown) => {
    // Without a response the caller does not know the upload, unless it repeats the request with its key.
    if (!once) await endUnknown(call, upload)
    throw error
  })
  return { status: 201, headers: { ...headers, ...received } }
}

async function endUnknown({ app, site, caller }: MediaCall, { id }: ResumableUpload): Promise<void> {
  const isThere = await readOwnUpload(site, caller, id).then(
    ({ state }) => state === 'open',
    () => false,
  )
  // If it cannot be ended now, it expires.
  if (isThere)
    await changeSite(app.control, site, (changing) => endOwnUpload(changing, caller, id)).catch(
      () => undefined,
    )
}

function readNewUpload({ request }: MediaCall): Omit<NewResumableUpload, 'isWithBytes' | 'keep'> {
  const { headers } = request
  if (headers['upload-defer-length'] !== undefined)
    throw invalidHeader(faultOf('Upload-Defer-Length', 'unsupportedDefer'))
  if (headers['upload-concat'] !== undefined) throw invalidHeader(faultOf('Upload-Concat', 'unsupported'))
  const lengthBytes = readCount(request, 'Upload-Length')
  const metadata = String(headers['upload-metadata'] ?? '')
  const { parameters } = readMetadata(metadata)
  checkTexts(parameters)
  return { lengthBytes, metadata, parameters, address: request.client.address }
}

/** Undefined without an Idempotency-Key. */
function onceOf(
  { caller, request }: MediaCall,
  { lengthBytes, metadata }: Pick<NewResumableUpload, 'lengthBytes' | 'metadata'>,
): RequestOfCaller | undefined {
  const read = readIdempotencyKey(request.headers)
  if ('fault' in read) throw invalidHeader({ field: 'Idempotency-Key', ...read.fault })
  if (read.key === undefined) return undefined
  const right = caller.kind === 'guest' ? [] : [caller.albumId ?? '']
  const asked = ['uploads', lengthBytes, metadata, right, caller.share?.shareId ?? '']
  const requestHash = hash('sha256', JSON.stringify(asked))
  return { caller: ownerOfKey(caller, request.client.address), key: read.key, requestHash }
}
