import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { badRequest } from '../errors.ts'

/** Hands over a body chunk by chunk; no more is read while a chunk takes its time. */
export async function eachChunk(
  request: IncomingMessage,
  signal: AbortSignal | undefined,
  take: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isOver = false
  const goOn = () => {
    if (!isOver) request.resume()
  }
  const takeNext = (chunk: Buffer) => {
    try {
      const taking = take(chunk)
      if (!taking) return
      request.pause()
      taking.then(goOn, reject)
    } catch (error) {
      reject(error)
    }
  }
  const stop = () => reject(signal?.reason)
  const forget = finished(request, { writable: false }, (cause) =>
    cause ? reject(badRequest('The body was broken off.', cause)) : resolve(),
  )
  try {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', stop)
    request.on('data', takeNext)
    await promise
  } finally {
    // To leave does not end the request: its answer goes out on the same connection.
    isOver = true
    request.off('data', takeNext).pause()
    forget()
    signal?.removeEventListener('abort', stop)
  }
}
