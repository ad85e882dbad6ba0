/** Headers of every response; pages and files have their own Cache-Control and policy instead. */
export const firstHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A response that is no page loads nothing, and no page frames it.
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

/** Of every response under https; a browser ignores it on plain http. */
export const httpsHeaders = { 'strict-transport-security': 'max-age=31536000' }

/** Pages of every origin may show and read files. */
export const fileCors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag',
}
