import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { continueBody } from '../../connection/request-body.ts'
import { badRequest } from '../../responses/errors.ts'

/** Calls `take` with each chunk of the body. While it returns a promise, the request is paused (backpressure). */
export async function eachChunk(
  request: IncomingMessage,
  take: (chunk: Buffer) => Promise<void> | undefined,
  signal?: AbortSignal,
): Promise<void> {
  continueBody(request)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop)
  let taking: Promise<void> | undefined
  let isDone = false

  const resume = () => {
    taking = undefined
    if (!isDone) request.resume()
  }
  const takeNext = (chunk: Buffer) => {
    try {
      taking = take(chunk)?.then(resume, reject)
      if (taking) request.pause()
    } catch (error) {
      reject(error)
    }
  }
  const removeListeners = finished(request, { writable: false }, (cause) => {
    if (cause) reject(badRequest('The body was broken off.', cause))
    // A paused stream may end while its last chunk is being taken.
    else if (taking) taking.then(resolve)
    else resolve()
  })
  try {
    request.on('data', takeNext)
    await promise
  } finally {
    // The request is not destroyed: its response is sent on the same connection.
    isDone = true
    signal?.removeEventListener('abort', stop)
    request.off('data', takeNext).pause()
    removeListeners()
    // The caller removes the files afterwards, so no write may be running.
    await taking
  }
}
