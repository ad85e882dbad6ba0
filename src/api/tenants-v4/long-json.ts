import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends a document that is complete, in chunks that other responses share: they are not copied into one. */
export function sendLongJson(reply: FastifyReply, chunks: readonly Buffer[]): FastifyReply {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('content-length', length)
    .send(streamOf(chunks))
}

/** `Readable.from` would take a turn of the event loop for each chunk. */
function streamOf(chunks: readonly Buffer[]): Readable {
  let next = 0
  return new Readable({
    read() {
      while (next < chunks.length) if (!this.push(chunks[next++])) return
      this.push(null)
    },
  })
}
