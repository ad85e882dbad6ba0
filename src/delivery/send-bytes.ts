import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { App } from '../app.ts'

interface Sending {
  log: App['log']
  key: string
  content: Readable
  lengthBytes: number
}

/** If the stream ends too early, the connection is closed, so that the client does not take the file for complete. */
export function sendStream(reply: FastifyReply, { log, key, content, lengthBytes }: Sending) {
  let remainingBytes = lengthBytes
  content.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length
  })
  content.on('error', (error) => {
    // A client that leaves ends the stream too.
    if (reply.raw.destroyed) return
    log.error({ key, error: error.message }, 'A stored file could not be read to its end')
  })
  content.on('end', () => {
    if (remainingBytes === 0) return
    log.error({ key, remainingBytes }, 'A stored file is shorter than its row says')
    reply.raw.destroy()
  })
  return reply.header('content-length', lengthBytes).send(content)
}

/** Without a body. Fastify would add `Content-Length: 0`, which is wrong for HEAD and 304. */
export function sendEmpty(reply: FastifyReply) {
  return reply.send(reply.request.method === 'HEAD' ? Readable.from([]) : undefined)
}
