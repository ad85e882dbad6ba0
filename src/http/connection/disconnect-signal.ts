import type { FastifyReply } from 'fastify'

/** Aborts when the caller has left. Listens to the response, since listeners on a keep-alive connection would pile up. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (reply.raw.closed) gone.abort()
  else reply.raw.once('close', () => gone.abort())
  return gone.signal
}
