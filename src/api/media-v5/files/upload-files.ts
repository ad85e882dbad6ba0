import { Type } from 'typebox'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { answerUpload } from '../../../http/uploads/answer-upload.ts'
import { UploadedFileObject } from '../../../http/wire/files.ts'
import type { ChangingEndpoint } from '../media-endpoint.ts'
import { FileName, fileForms, fileRefusals, uploadFields } from './file-forms.ts'

export const postFile: ChangingEndpoint = {
  tag: 'Files',
  summary: 'Upload a file',
  description:
    'The body is the file itself, with parameters in the query, or a form as for `POST ' +
    '/api/1/upload`. Only this response contains `delete_url`. If the album is deleted during ' +
    'the upload, the file is kept without an album, as a private file, and `warnings` has ' +
    '`album-deleted`. If the setting `duplicates` is `existing`, an already stored file is ' +
    'answered with 200.',
  access: 'guest-upload',
  proof: noProof.ownThings,
  isBodyUnread: true,
  isRateFree: true,
  query: Type.Object({ filename: FileName, ...uploadFields }),
  forms: fileForms(uploadFields),
  responses: {
    200: { description: 'The file was already stored.', schema: UploadedFileObject },
    201: {
      description: 'The file.',
      schema: UploadedFileObject,
      headers: { ETag: 'Its version', Location: 'The address of the file in this API' },
    },
    ...fileRefusals,
  },
  handle: (call) => answerUpload(call),
}
