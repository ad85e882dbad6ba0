import { header, idempotencyKey } from '../../http/openapi/components.ts'
import type { Parameter, Schema } from '../../http/openapi/openapi-document.ts'
import { tagListForm } from '../../http/requests/conditions.ts'
import { mostHeaderBytes } from '../../http/responses/errors.ts'
import { largestWholeNumber } from '../../lib/sizes.ts'
import { checksumAlgorithms, sharePassForm } from '../../media/index.ts'
import { checksumForm, overrides, tusVersion } from './uploads/tus-headers.ts'

const bytes: Schema = { type: 'integer', minimum: 0, maximum: largestWholeNumber }

const needed = (parameter: Parameter): Parameter => ({ ...parameter, required: true })

/** The headers that calls take, under their names in the document. */
export const requestHeaders: Readonly<Record<string, Parameter>> = {
  Share: header(
    'X-Share',
    'The `pass` of a share that was opened by `POST /api/5/shares/open`. It adds what the share ' +
      'opens to what the caller can see.',
    { type: 'string', pattern: sharePassForm },
  ),
  IdempotencyKey: idempotencyKey,
  IfMatch: header(
    'If-Match',
    'Makes the change only if this is the current `ETag`; `*` matches any. Other values are refused with 412.',
    { type: 'string', pattern: tagListForm },
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'The `ETag` that the caller has. If the version has not changed, the answer is 304 without ' +
      'a body. A malformed value is ignored.',
    { type: 'string', pattern: tagListForm },
  ),
  TusResumable: needed(
    header('Tus-Resumable', 'The version of the protocol.', { type: 'string', enum: [tusVersion] }),
  ),
  UploadLength: needed(header('Upload-Length', 'The size of the file in bytes.', bytes)),
  UploadOffset: needed(header('Upload-Offset', 'How many bytes are stored already.', bytes)),
  UploadOffsetOfPatch: header(
    'Upload-Offset',
    'How many bytes are stored already; required instead of PATCH.',
    bytes,
  ),
  UploadMetadata: header(
    'Upload-Metadata',
    'Pairs of a name and a text in Base64, separated by commas: `filename`, the parameters of ' +
      '`POST /api/5/files` (by a share those of `POST /api/5/shares/{token}/files`), and `replace`, ' +
      'the id of a file that gets the bytes. The address and all headers of a request are at most 16,384 ' +
      'bytes long together.',
    { type: 'string', maxLength: mostHeaderBytes },
  ),
  UploadChecksum: header(
    'Upload-Checksum',
    `The name of a digest (${checksumAlgorithms.join(', ')}), a space, and the digest of the body in Base64. If the bytes differ, none are stored (460).`,
    { type: 'string', pattern: checksumForm },
  ),
  MethodOverride: needed(
    header('X-HTTP-Method-Override', 'The method that this POST replaces, in upper or lower case.', {
      type: 'string',
      enum: [...overrides],
    }),
  ),
}
