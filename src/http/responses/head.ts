import { Readable } from 'node:stream'
import type { onSendHookHandler } from 'fastify'

/** The response to HEAD has the headers of the response to GET, its length too, and no body. */
export const dropBodyOfHead: onSendHookHandler = (request, reply, payload, done) => {
  if (request.method !== 'HEAD') return done(null, payload)
  if (payload instanceof Readable) payload.resume()
  else reply.header('content-length', lengthOf(payload))
  return done(null, null)
}

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || payload instanceof Uint8Array ? Buffer.byteLength(payload) : 0
