import { Type } from 'typebox'
import { idempotencyMismatch, stillRunning } from '../../accounts/index.ts'
import type { DescribedResponse } from '../../http/endpoint.ts'
import { refused, siteRefusals } from '../../http/openapi/described-refusal.ts'
import { noProof } from '../../http/requests/proof-rule.ts'
import { mostHeaderBytes, wrongContentType } from '../../http/responses/errors.ts'
import type { ChangingSiteEndpoint, SiteEndpoint } from '../../http/site-route.ts'
import { uploadNumbers } from '../../http/uploads/error-numbers.ts'
import { fileTooBig } from '../../http/uploads/reading/form-errors.ts'
import { Refusal } from '../../lib/refusal.ts'
import { emptySource } from '../../media/index.ts'
import { uploadExample } from './example.ts'
import { formatInQuery, handleUpload, isPlain } from './handle-upload.ts'
import { UploadForm, UploadMultipart, UploadQuery, UploadResponse } from './wire-schema.ts'

const refusal = (description: string, reason: Refusal) => refused(description, reason, uploadNumbers)

const responses: Record<number, DescribedResponse> = {
  200: {
    description: 'The file is stored.',
    schema: UploadResponse,
    example: uploadExample,
    alternatives: { 'text/plain': 'Only the direct URL, with `format=txt`' },
  },
  302: {
    description: 'The file is stored; with `format=redirect`.',
    headers: { Location: 'The path of the viewer page; in a private album with a signature' },
  },
  400: refusal('A key, a parameter or the file is refused; `error.code` says which.', emptySource()),
  403: refusal(
    'This caller may not upload, a limit of the site is reached, or the site is disabled.',
    new Refusal('forbidden', 'limit-reached', 'SERVICE_MAX_FILES is reached (limit 10).'),
  ),
  404: siteRefusals[404],
  413: refusal('The file is too big.', fileTooBig(10_000_000)),
  415: refusal(
    'The body is of another type, or is compressed.',
    wrongContentType(
      'The body must be one of multipart/form-data, application/json, application/x-www-form-urlencoded.',
    ),
  ),
  409: refusal('The first request with this Idempotency-Key is still running.', stillRunning()),
  422: refusal('The Idempotency-Key was sent with another request.', idempotencyMismatch()),
  429: refusal(
    'Too many uploads from one address.',
    new Refusal('too-many', 'flood', 'Flooding detected. You can only upload 50 files per minute'),
  ),
  503: refusal(
    'The storage, the database or the decoders cannot be used now; try again.',
    new Refusal('unavailable', 'storage-unavailable', 'The storage cannot be reached. Try again shortly.'),
  ),
  507: refusal(
    'The disk is full.',
    new Refusal('unavailable', 'disk-full', 'There is no space left to store this.'),
  ),
}

const details =
  'Parameters come from the query and the body; the body takes precedence. Unknown parameters ' +
  'are ignored. With `format=txt` and `format=redirect` a refusal is only its message, as ' +
  'text/plain.'

export const postUpload: ChangingSiteEndpoint = {
  tag: 'Upload',
  summary: 'Upload a file',
  description: `${details} A body in JSON may give numbers as text, and booleans for 1 and 0.`,
  access: 'uploader',
  proof: noProof.link,
  forms: { 'multipart/form-data': UploadMultipart, 'application/x-www-form-urlencoded': UploadForm },
  body: UploadForm,
  bodyExample: { source: 'https://example.com/cat.png', title: 'A cat', tags: 'cat, pet' },
  responses,
  handle: handleUpload,
}

export const getUpload: SiteEndpoint = {
  tag: 'Upload',
  summary: 'Upload a file with parameters in the query',
  description: `${details} The address and the headers are at most 16,384 bytes long together.`,
  access: 'uploader',
  query: UploadQuery,
  responses,
  handle: handleUpload,
}

/** The address that clients of another image host are used to. */
export const postUploadAtAlias: ChangingSiteEndpoint = {
  ...postUpload,
  summary: 'Upload a file at the other address',
  description: 'Same as `POST /api/1/upload`.',
}

export const getUploadAtAlias: SiteEndpoint = {
  ...getUpload,
  summary: 'Upload a file with parameters in the query at the other address',
  description: 'Same as `GET /api/1/upload`.',
}

const badAction = () => new Refusal('invalid', 'bad-action', 'Invalid API action')
const badVersion = () => new Refusal('invalid', 'bad-version', 'Invalid API version.')

export const unknownCall: ChangingSiteEndpoint = {
  tag: 'Upload',
  summary: 'Refuse another version or action',
  description: 'The only version is 1 and its only action is `upload`.',
  access: 'anyone',
  proof: noProof.reading,
  params: Type.Object({
    version: Type.String({ maxLength: mostHeaderBytes, description: 'The version of the API' }),
    action: Type.String({ maxLength: mostHeaderBytes, description: 'The action' }),
  }),
  responses: {
    400: refusal('Another version than 1 (110), or another action than `upload` (120).', badVersion()),
    ...siteRefusals,
  },
  handle: () => async (_site, request) => {
    request.hasTextErrors = isPlain(formatInQuery(request.url))
    const { version } = request.params as { version: string }
    throw version === '1' ? badAction() : badVersion()
  },
}
