import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'

interface Sending {
  log: App['log']
  key: string
  content: Readable
  lengthBytes: number
}

/** Whoever goes away closes the stream. One that ends too early ends the connection, so that nobody takes it for whole. */
export function sendStream(reply: FastifyReply, { log, key, content, lengthBytes }: Sending) {
  let leftBytes = lengthBytes
  content.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
  })
  content.on('error', (error) => log.error({ key, error: error.message }, 'A stored file broke off'))
  content.on('end', () => {
    if (leftBytes === 0) return
    log.error({ key, leftBytes }, 'A stored file is shorter than it was')
    reply.raw.destroy()
  })
  return reply.header('content-length', lengthBytes).send(content)
}

/** Without a body: the framework would tell its length to be nothing, which a HEAD or a 304 does not mean. */
export function sendEmpty(reply: FastifyReply) {
  return reply.send(reply.request.method === 'HEAD' ? Readable.from([]) : undefined)
}
