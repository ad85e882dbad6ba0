import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A text of any length, which is never in memory as a whole. */
export interface Lines {
  contentType: string
  /** Under which a browser saves it. */
  filename: string
  chunks: AsyncIterable<string>
}

/** Streams a text. Resolves when the last chunk is sent or the client is gone: the site must stay open until then. */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, filename, chunks }: Lines,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': contentType,
    'content-disposition': `attachment; filename="${filename}"`,
    'cache-control': 'private, no-store',
  })
  // The header that the text is sent with: it has no length.
  if (request.method === 'HEAD') return reply.header('transfer-encoding', 'chunked').send(Readable.from([]))
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  reply.raw.once('close', close)
  reply.send(Readable.from(chunks))
  await closed
  return reply
}
