import { fileCors } from '../responses/headers.ts'
import {
  isDeletePath,
  isFilePath,
  isMediaPath,
  isOembedPath,
  isResumablePath,
  isUploadPath,
} from './paths.ts'

const apiHeaders = 'content-type, x-api-key, authorization, cache-control, x-requested-with'

/** Pages of every origin may call these; none of them reads a cookie. */
const apiCors = (methods: string) => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods,
  'access-control-allow-headers': apiHeaders,
  'access-control-expose-headers': 'retry-after',
  'access-control-max-age': '86400',
})

const uploadCors = {
  ...apiCors('GET, POST, OPTIONS'),
  'access-control-allow-headers': `${apiHeaders}, idempotency-key`,
  'access-control-expose-headers': 'idempotency-replayed, retry-after',
}
const deleteCors = apiCors('GET, HEAD, POST, DELETE, OPTIONS')
const oembedCors = apiCors('GET, HEAD, OPTIONS')

/** A session counts only on pages of the site itself, so that pages of other origins need no credentials. */
const mediaCors = {
  ...apiCors('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'),
  'access-control-allow-headers': `${apiHeaders}, idempotency-key, if-match, if-none-match, x-share`,
  'access-control-expose-headers':
    'allow, content-location, etag, idempotency-replayed, location, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id',
}

/** What clients of resumable uploads send and read beside it. */
const resumableCors = {
  ...mediaCors,
  'access-control-allow-headers':
    `${mediaCors['access-control-allow-headers']}, tus-resumable, upload-checksum, upload-concat, upload-defer-length, ` +
    'upload-length, upload-metadata, upload-offset, x-http-method-override, x-request-id',
  'access-control-expose-headers':
    `${mediaCors['access-control-expose-headers']}, tus-checksum-algorithm, tus-extension, tus-max-size, tus-resumable, ` +
    'tus-version, upload-expires, upload-length, upload-metadata, upload-offset',
}

const filePreflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers':
    'range, if-range, if-match, if-none-match, if-modified-since, cache-control',
  'access-control-max-age': '86400',
}

/** The CORS headers of a path, for every response and refusal. */
export function corsOf(method: string, path: string): Readonly<Record<string, string>> {
  if (isResumablePath(path)) return resumableCors
  if (isMediaPath(path)) return mediaCors
  if (isUploadPath(path)) return uploadCors
  if (isFilePath(path)) return method === 'OPTIONS' ? filePreflight : fileCors
  if (isDeletePath(path)) return deleteCors
  return isOembedPath(path) ? oembedCors : {}
}
