/** Every `code` of a problem, with what it means. They are stable: programs decide by them. */
export const problemCodes = {
  invalid: 'The request is not understood. `errors` names every fault.',
  'cursor-invalid':
    'The cursor was changed, is older than 24 hours, or belongs to another list. Begin at the first page.',
  'upload-refused': 'The file is refused. `error.code` is the number of the upload API.',
  unauthenticated: 'A valid key or session is needed.',
  'totp-required': 'The log-in needs the code of the second step.',
  'proof-needed': 'The session needs a proof of the last ten minutes: a log-in, or the password at `/prove`.',
  'second-step-needed':
    'The site requires a second step for administrators and managers, and this user has none: `/settings/security/totp`.',
  'scope-missing': 'The key or session is valid, but not for this call.',
  'origin-not-allowed': 'The key is not allowed from this origin.',
  'address-not-allowed': 'The key is not allowed from this address.',
  'limit-reached': 'A limit is reached, such as the number of files; `error.code` is 999.',
  'quota-reached':
    'A quota is used up: storage by files and unfinished uploads, or traffic; or the site is suspended for it. `error.code` is 999.',
  'password-needed': 'The share has a password, and the call sent none, or no pass of the share.',
  'wrong-password': 'The password of the share is wrong.',
  'uploads-used-up': 'The share has reached its upload limit.',
  'content-blocked': 'These bytes are blocked.',
  'transform-not-allowed': 'This transform needs a signature.',
  forbidden: 'The caller is not allowed to do this.',
  'not-found': 'The resource does not exist, or the caller may not see it.',
  'method-not-allowed':
    'The address does not support this method; the header `Allow` lists those that it supports.',
  conflict: 'There is a conflict with another record.',
  damaged: 'The stored bytes are damaged.',
  'in-flight': 'The first request with this Idempotency-Key is still running.',
  'last-admin': 'The site would be left without an administrator.',
  gone: 'The resource has ended.',
  'version-differs': 'The version is not the one that `If-Match` names.',
  'tus-version': '`Tus-Resumable` is missing, or names another version than 1.0.0.',
  'offset-differs': '`Upload-Offset` is not the stored offset. Get it with HEAD, and continue from there.',
  'upload-locked': 'A server is processing the file of the upload. Get the offset again in a moment.',
  'upload-unfinished': 'The upload is not finished, so it has no answer yet.',
  'checksum-mismatch': 'The bytes do not match `Upload-Checksum`; none were stored.',
  'too-large': 'The body or the file is too large.',
  'unsupported-media-type': 'The body is of another content type.',
  'idempotency-mismatch': 'The Idempotency-Key was sent with another request.',
  'rate-limited': 'Too many requests. Try again after the seconds in `Retry-After`.',
  'internal-error': 'A server error. Look for the request id in the log.',
  unavailable: 'Try again after the seconds in `Retry-After`.',
  'storage-full': 'The disk is full.',
} as const satisfies Readonly<Record<string, string>>

export type ProblemCode = keyof typeof problemCodes

/** The code of a refusal that has none of the codes above. */
const codeOfStatus: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  409: 'conflict',
  410: 'gone',
  412: 'version-differs',
  413: 'too-large',
  415: 'unsupported-media-type',
  422: 'idempotency-mismatch',
  423: 'upload-locked',
  429: 'rate-limited',
  460: 'checksum-mismatch',
  500: 'internal-error',
  503: 'unavailable',
  507: 'storage-full',
}

export function problemCodeOf(code: string | undefined, status: number): ProblemCode {
  if (code !== undefined && Object.hasOwn(problemCodes, code)) return code as ProblemCode
  return codeOfStatus[status] ?? 'invalid'
}
