import { Readable } from 'node:stream'
import type { onSendHookHandler } from 'fastify'

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

/** The response to HEAD has the headers of the response to GET, its length too, and no body. */
export const dropBodyOfHead: onSendHookHandler = (request, reply, payload, done) => {
  if (request.method !== 'HEAD') return done(null, payload)
  if (payload instanceof Readable) payload.resume()
  else reply.header('content-length', lengthOf(payload))
  return done(null, null)
}

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || payload instanceof Uint8Array ? Buffer.byteLength(payload) : 0
