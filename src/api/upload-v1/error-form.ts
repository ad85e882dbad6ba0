import { isUploadPath, pathOf } from '../../http/requests/paths.ts'
import type { ErrorForm } from '../../http/send-error.ts'
import { uploadNumbers } from '../../http/uploads/error-numbers.ts'

/** Errors of the upload API: JSON, or the message alone for a caller that asked for text. */
export const uploadErrorForm: ErrorForm = {
  fits: ({ url }) => isUploadPath(pathOf(url)),
  numbers: uploadNumbers,
  write: (_app, { hasTextErrors }, reply, { response: { body } }) => {
    reply.header('content-type', `${hasTextErrors ? 'text/plain' : 'application/json'}; charset=utf-8`)
    return hasTextErrors ? body.error.message : JSON.stringify(body)
  },
}
