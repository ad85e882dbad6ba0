import type { IncomingMessage } from 'node:http'
import { badRequest } from '../errors.ts'

/** Hands over a body chunk by chunk; no more is read than is dealt with. */
export async function eachChunk(
  request: IncomingMessage,
  signal: AbortSignal | undefined,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop)
  // To leave the loop must not end the request: its answer goes out on the same connection.
  const chunks: AsyncIterator<Buffer, void> = request.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await Promise.race([orBrokenOff(chunks.next()), stopped])
      if (done) return
      await take(value)
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    // Not waited for, since a caller who sends nothing more would keep it waiting.
    chunks.return?.().catch(() => undefined)
  }
}

function orBrokenOff<T>(next: Promise<T>): Promise<T> {
  return next.catch((cause) => Promise.reject(badRequest('The body was broken off.', cause)))
}
