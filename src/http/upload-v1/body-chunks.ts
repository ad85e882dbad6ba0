import type { IncomingMessage } from 'node:http'
import { badRequest } from '../errors.ts'

/** Hands over a body chunk by chunk; no more is read than is dealt with. */
export async function eachChunk(
  request: IncomingMessage,
  signal: AbortSignal | undefined,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  let stop: (reason: unknown) => void = () => undefined
  const stopNow = () => stop(signal?.reason)
  signal?.addEventListener('abort', stopNow)
  // To leave the loop must not end the request: its answer goes out on the same connection.
  const chunks: AsyncIterator<Buffer, void> = request.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { promise: next, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer, void>>()
      stop = reject
      chunks.next().then(resolve, (cause) => reject(badRequest('The body was broken off.', cause)))
      const { done, value } = await next
      if (done) return
      await take(value)
    }
  } finally {
    signal?.removeEventListener('abort', stopNow)
    // Not waited for, since a caller who sends nothing more would keep it waiting.
    chunks.return?.().catch(() => undefined)
  }
}
