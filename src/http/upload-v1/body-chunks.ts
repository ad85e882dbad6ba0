import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { badRequest } from '../errors.ts'

/** Hands over a body chunk by chunk, one after the other; no more is read while one takes its time. */
export async function eachChunk(
  request: IncomingMessage,
  take: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let taking: Promise<void> | undefined
  let isOver = false

  const goOn = () => {
    taking = undefined
    if (!isOver) request.resume()
  }
  const takeNext = (chunk: Buffer) => {
    try {
      taking = take(chunk)?.then(goOn, reject)
      if (taking) request.pause()
    } catch (error) {
      reject(error)
    }
  }
  const forget = finished(request, { writable: false }, (cause) => {
    if (cause) reject(badRequest('The body was broken off.', cause))
    // A stream that is paused may end: its last chunk is still being taken.
    else if (taking) taking.then(resolve)
    else resolve()
  })
  try {
    request.on('data', takeNext)
    await promise
  } finally {
    // To leave does not end the request: its answer goes out on the same connection.
    isOver = true
    request.off('data', takeNext).pause()
    forget()
    // Whoever clears up after us must not find it at work.
    await taking
  }
}
