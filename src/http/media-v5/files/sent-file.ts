import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type Caller, checkUploadsOn, quotaReached, unauthenticated } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  checkMayUpload,
  checkMayUploadOnPage,
  emptySource,
  isUploadAlbum,
  largestUpload,
} from '../../../media/index.ts'
import type { DescribedResponse } from '../../endpoint.ts'
import { mediaTypeOf } from '../../requests/media-type.ts'
import { answerOnce, type KeepAnswer } from '../../requests/once/answer-once.ts'
import { uploadNumbers } from '../../upload-v1/error-numbers.ts'
import { type ReadingOptions, readUpload, type UploadForm } from '../../upload-v1/read-upload.ts'
import { fileTooBig } from '../../upload-v1/reading/form-errors.ts'
import { readRawUpload } from '../../upload-v1/source/raw-upload.ts'
import { spoolFolderOf } from '../../upload-v1/source/spool-folder.ts'
import { uploadOnce } from '../../upload-v1/source/upload-once.ts'
import type { MediaAnswer, MediaCall } from '../media-endpoint.ts'
import { onceRefusals, refusedAs } from '../responses.ts'

/** A file that is sent as the body itself, in a form, or as the address of one. */
export const fileForms = {
  'multipart/form-data': Type.Object({
    source: Type.String({ format: 'binary', description: 'The file' }),
  }),
  'application/octet-stream': Type.String({
    format: 'binary',
    description: 'The file itself, of any content type',
  }),
}

const formTypes: ReadonlySet<string> = new Set([
  ...['multipart/form-data', 'application/json', 'application/x-www-form-urlencoded'],
])

/** A call of the API, or of the upload page, whose guests need no public key: it is sent by a page of the site itself. */
export type SendingCall = Pick<MediaCall, 'app' | 'site' | 'caller' | 'request' | 'reply'> & {
  isOfPage?: boolean
}

/** A form, and an album in it that was the caller's when it was read. */
export type SentForm = UploadForm & { seenAlbumId: string | undefined }

/** Receives the file of a call, and answers once for an Idempotency-Key; equal requests have equal bytes. */
export async function answerSentFile(
  call: SendingCall,
  run: (form: SentForm, keep: KeepAnswer<MediaAnswer> | undefined) => Promise<MediaAnswer>,
): Promise<MediaAnswer> {
  const { app, site, caller, request } = call
  try {
    await checkMaySend(call)
    let seenAlbumId: string | undefined
    await using form = await readSentFile(app, request, {
      maxBytes: await largestUpload(site, caller as Caller),
      onAlbum: async (id) => {
        if (await isUploadAlbum(site, caller, id)) seenAlbumId = id
      },
    })
    const once = uploadOnce(request, caller, form)
    const { answer, isReplayed } = await answerOnce<MediaAnswer>(app, site, once, (keep) =>
      run({ ...form, seenAlbumId }, keep),
    )
    return isReplayed ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } } : answer
  } catch (error) {
    throw uploadRefusal(error)
  }
}

async function checkMaySend({ site, caller, isOfPage = false }: SendingCall): Promise<void> {
  if (isOfPage) return checkMayUploadOnPage(site, caller)
  if (caller.kind === 'guest' && !caller.hasPublicKey) throw unauthenticated()
  checkUploadsOn(site, caller)
  await checkMayUpload(site, caller)
}

/** A form, or the file itself as the body. */
export function readSentFile(
  app: App,
  request: FastifyRequest,
  reading: Pick<ReadingOptions, 'maxBytes' | 'onAlbum'>,
): Promise<UploadForm & AsyncDisposable> {
  const options = { ...reading, spoolFolder: spoolFolderOf(app) }
  const type = mediaTypeOf(request.headers['content-type'] ?? '')
  return formTypes.has(type) ? readUpload(request.raw, options) : readRawUpload(request.raw, options)
}

/** Refusals of the file itself have the code `upload-refused` and the number that the upload API gives them. */
const refusedFiles: ReadonlySet<string> = new Set([
  ...['duplicate', 'bad-base64', 'empty-source', 'flood', 'bad-parameter', 'bad-form', 'url-refused'],
  ...['file-too-big', 'not-decodable', 'too-many-pixels', 'too-many-frames', 'not-media', 'kind-off'],
])

export function uploadRefusal(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { kind, code, message, list, faults, retryAfterSeconds } = error
  return new Refusal(kind, refusedFiles.has(code) ? 'upload-refused' : code, message, {
    ...{ list, number: uploadNumbers[code], cause: error.cause },
    ...(faults && { faults }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

const refusedFile = (description: string, refusal: Refusal) =>
  refusedAs(description, uploadRefusal(refusal) as Refusal)

/** Refusals of every call that takes a file. */
export const fileRefusals: Readonly<Record<number, DescribedResponse>> = {
  ...onceRefusals,
  400: refusedFile('A parameter or the file is refused; `error.code` says which.', emptySource()),
  403: refusedAs(
    'This caller may not upload, or a limit of the site is reached.',
    quotaReached('SERVICE_MAX_STORAGE', 1_000_000_000),
  ),
  413: refusedFile('The file is too big.', fileTooBig(10_000_000)),
  429: refusedFile(
    'Too many uploads from one address, or too many requests.',
    new Refusal('too-many', 'flood', 'Flooding detected. You can only upload 50 files per minute'),
  ),
  507: refusedAs(
    'The disk is full.',
    new Refusal('unavailable', 'disk-full', 'There is no space left to store this.'),
  ),
}
