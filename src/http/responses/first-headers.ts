/** Headers of every response; a file's own Cache-Control replaces the first. */
export const firstHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Pages of every origin may show and read files. */
export const fileCors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag',
}
