import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { Refusal } from '../lib/refusal.ts'
import { answerOfBug, answerOfRefusal, badRequest, type ErrorAnswer } from './errors.ts'
import { pagePolicy, plainPage } from './pages.ts'
import { isControlPath, isUploadPath, pathOf } from './paths.ts'
import { uploadNumbers } from './upload-v1/error-numbers.ts'

/** Answers with what went wrong: a page for a browser that looks at a site, JSON for everybody else. */
export function sendError(
  app: App,
  error: FastifyError | Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { status, headers, body } = answerOf(app, error, request)
  reply.code(status).headers(headers)
  if (request.isAnsweredInText) {
    reply.header('content-type', 'text/plain; charset=utf-8')
    return sendText(request, reply, body.error.message)
  }
  if (wantsPage(request)) {
    reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', pagePolicy)
    return sendText(request, reply, plainPage(body.status_txt, body.error.message))
  }
  reply.header('content-type', 'application/json; charset=utf-8')
  return sendText(request, reply, JSON.stringify(body))
}

function answerOf(app: App, error: FastifyError | Refusal, request: FastifyRequest): ErrorAnswer {
  if (error instanceof Refusal) {
    if (error.kind === 'unavailable')
      app.log.warn({ code: error.code, cause: String(error.cause) }, error.message)
    return answerOfRefusal(error, isUploadPath(pathOf(request.url)) ? uploadNumbers : undefined)
  }
  // The framework's own refusals are the caller's fault; their texts are not ours to show.
  if (error.statusCode !== undefined && error.statusCode < 500)
    return answerOfRefusal(badRequest('The request is malformed.'))
  const bug = answerOfBug()
  app.log.error(
    { incident: bug.incident, route: request.routeOptions?.url, stack: error.stack },
    'Something went wrong',
  )
  return bug
}

function wantsPage(request: FastifyRequest): boolean {
  const path = pathOf(request.url)
  if (isControlPath(path) || isUploadPath(path)) return false
  return /\btext\/html\b/.test(request.headers.accept ?? '')
}

function sendText(request: FastifyRequest, reply: FastifyReply, text: string) {
  if (request.method === 'HEAD' || !isStillSent(request.raw)) return reply.send(text)
  return reply
    .header('connection', 'close')
    .header('content-length', Buffer.byteLength(text))
    .send(Readable.from(textThenWait(text, request.raw), { objectMode: false }))
}

const smallBytes = 65_536

/** Whether the answer may come while the caller is sending. A small body on a lasting connection is read along. */
function isStillSent({ complete, headers, httpVersion }: IncomingMessage): boolean {
  if (complete) return false
  if (headers['transfer-encoding'] !== undefined) return true
  const sizeBytes = Number(headers['content-length'] ?? 0)
  const isLasting = httpVersion === '1.1' && !/\bclose\b/i.test(headers.connection ?? '')
  return isLasting ? sizeBytes > smallBytes : sizeBytes > 0
}

/** To close on a caller who is still sending would cost it the answer: the system resets such a connection. */
async function* textThenWait(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text
  await bodySent(request)
}

const longestWaitMs = 5_000
const mostUnreadBytes = 16 * 1_048_576

function bodySent(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, longestWaitMs)
  let left = mostUnreadBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) resolve()
  })
  request.on('error', () => resolve())
  request.on('close', resolve)
  request.on('end', resolve)
  request.resume()
  return promise.finally(() => clearTimeout(timer))
}
