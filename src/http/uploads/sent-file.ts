import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, checkUploadsOn, unauthenticated } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../lib/refusal.ts'
import { checkMayUpload, checkMayUploadOnPage, isUploadAlbum, largestUpload } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { mediaTypeOf } from '../requests/headers.ts'
import { answerOnce, type KeepAnswer } from '../requests/once/answer-once.ts'
import type { Answer } from '../responses/answer.ts'
import { uploadNumbers } from './error-numbers.ts'
import { type ReadingOptions, readUpload, type UploadForm, uploadOnce } from './read-upload.ts'
import { readRawUpload } from './source/raw-upload.ts'
import { spoolFolderOf } from './source/spool.ts'

/** A request that sends a file, and who sends it. */
export interface FileCall {
  app: App
  site: Site
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
}

const formTypes: ReadonlySet<string> = new Set([
  'multipart/form-data',
  'application/json',
  'application/x-www-form-urlencoded',
])

/** A call of the API, or of the upload page, whose guests need no public key: it is sent by a page of the site itself. */
export type SendingCall = FileCall & {
  isOfPage?: boolean
}

/** A form, and an album in it that was the caller's when it was read. */
export type SentForm = UploadForm & { seenAlbumId: string | undefined }

/** Receives the file of a call, and answers once for an Idempotency-Key; equal requests have equal bytes. */
export async function answerSentFile(
  call: SendingCall,
  run: (form: SentForm, keep: KeepAnswer<Answer> | undefined) => Promise<Answer>,
): Promise<Answer> {
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
    const { answer, isReplayed } = await answerOnce<Answer>(app, site, once, (keep) =>
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
  'duplicate',
  'bad-base64',
  'empty-source',
  'flood',
  'bad-parameter',
  'bad-form',
  'url-refused',
  'file-too-big',
  'not-decodable',
  'too-many-pixels',
  'too-many-frames',
  'not-media',
  'kind-off',
])

export function uploadRefusal(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { kind, code, reason, message, list, faults, params, retryAfterSeconds } = error
  return new Refusal(kind, refusedFiles.has(code) ? 'upload-refused' : code, message, {
    list,
    number: uploadNumbers[code],
    cause: error.cause,
    reason,
    faults,
    params,
    retryAfterSeconds,
  })
}
