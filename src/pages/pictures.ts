import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { PageCall } from './page-call.ts'

interface SentPicture {
  mime: string
  content: Buffer | Readable
  /** The header `cache-control`. */
  caching: string
}

/** Sends a picture that pages of the site alone show. */
export async function sendPicture(
  { reply }: PageCall,
  { mime, content, caching }: SentPicture,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': mime,
    'cache-control': caching,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  reply.raw.once('close', resolve)
  reply.send(content)
  // The site must stay open until the last byte; a caller who leaves ends the reading.
  await closed
  if (content instanceof Readable) content.destroy()
  return reply
}
