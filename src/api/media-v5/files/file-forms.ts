import type { FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { type Caller, checkUploadsOn, quotaReached, unauthenticated } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import type { DescribedResponse } from '../../../http/endpoint.ts'
import { Id, largestRowNumber, Text, Whole, Word } from '../../../http/fields.ts'
import { mediaTypeOf } from '../../../http/requests/media-type.ts'
import { answerOnce, type KeepAnswer } from '../../../http/requests/once/answer-once.ts'
import { uploadNumbers } from '../../../http/uploads/error-numbers.ts'
import { type ReadingOptions, readUpload, type UploadForm } from '../../../http/uploads/read-upload.ts'
import { fileTooBig } from '../../../http/uploads/reading/form-errors.ts'
import { readRawUpload } from '../../../http/uploads/source/raw-upload.ts'
import { spoolFolderOf } from '../../../http/uploads/source/spool-folder.ts'
import { uploadOnce } from '../../../http/uploads/source/upload-once.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  checkMayUpload,
  checkMayUploadOnPage,
  emptySource,
  expirations,
  isUploadAlbum,
  largestUpload,
  longestFileText,
  longestTag,
  mostTagsGiven,
  widestUpload,
} from '../../../media/index.ts'
import type { MediaAnswer, MediaCall } from '../media-endpoint.ts'
import { onceRefusals, refusedAs } from '../responses.ts'

const FileText = (field: keyof typeof longestFileText, description: string) =>
  Type.Optional(
    Text({
      least: 1,
      most: longestFileText[field],
      description: `1 to ${longestFileText[field]} characters${description}`,
    }),
  )

/** What a visitor may say of a file. */
export const visitorFields = {
  title: FileText('title', '; by default from the file or its name'),
  description: FileText('description', ''),
}

/** The parameters of an upload, which `readUploadRequest` checks in a form. */
export const uploadFields = {
  ...visitorFields,
  tags: Type.Optional(
    Text({
      least: 1,
      most: mostTagsGiven * (longestTag + 2),
      description: `At most ${mostTagsGiven} tags of at most ${longestTag} characters, separated by commas`,
    }),
  ),
  album_id: Type.Optional(Id('An album of the user')),
  category_id: Type.Optional(Whole(0, largestRowNumber, 'A category of the site')),
  width: Type.Optional(Whole(1, widestUpload, 'Makes a picture this wide, in pixels')),
  expiration: Type.Optional(Word(expirations, 'Removes the file after this time')),
  nsfw: Type.Optional(Word(['0', '1'], '`1`: shown behind a cover')),
  use_file_date: Type.Optional(Word(['0', '1'], '`1`: the date is that of the picture; for administrators')),
}

export const FileName = Type.Optional(
  Text({
    least: 1,
    most: 1_024,
    description: 'The name of a file that is sent as the body; `upload` by default',
  }),
)

/** A file that is sent as the body itself, or in a form with the parameters. */
export const fileForms = (fields: TProperties) => ({
  'multipart/form-data': Type.Object({
    source: Type.String({ format: 'binary', description: 'The file' }),
    ...fields,
  }),
  'application/octet-stream': Type.String({
    format: 'binary',
    description: 'The file itself, of any content type',
  }),
})

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
