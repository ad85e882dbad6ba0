/** What every answer begins with; a file's own words about caches come in place of the first. */
export const firstHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Files may be shown and read anywhere. */
export const fileCors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag',
}
