import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

const longestSilenceMs = 60_000

/**
 * Destroys the body of a response if the server is silent for too long. A socket time-out would mistake a slow reader for a
 * silent server, since no bytes are requested while some wait to be read.
 */
export function destroyWhenIdle(content: Readable, silenceMs = longestSilenceMs): void {
  if (!(content instanceof IncomingMessage)) return
  const { socket } = content
  let seenBytes = socket.bytesRead
  let progressAt = performance.now()
  const timer = setInterval(() => {
    if (socket.bytesRead !== seenBytes || content.readableLength > 0) {
      seenBytes = socket.bytesRead
      progressAt = performance.now()
    } else if (performance.now() - progressAt >= silenceMs) {
      content.destroy(new Error(`The bucket was silent for ${silenceMs / 1_000} seconds.`))
    }
  }, silenceMs / 6)
  timer.unref()
  content.once('close', () => clearInterval(timer))
}
