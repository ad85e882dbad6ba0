import type { IncomingHttpHeaders } from 'node:http'

export type ReadIdempotencyKey = { key: string | undefined } | { fault: string }

/** `key` is undefined if the header is missing. */
export function readIdempotencyKey({ 'idempotency-key': key }: IncomingHttpHeaders): ReadIdempotencyKey {
  if (key === undefined) return { key }
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return { key }
  return { fault: 'must be 1 to 255 visible ASCII characters' }
}
