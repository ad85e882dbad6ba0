import { Readable } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { problemOf } from '../api/media-v5/problem.ts'
import type { App } from '../app.ts'
import { Refusal } from '../lib/refusal.ts'
import { errorPage } from '../pages/error-page.ts'
import { setPageHeaders } from '../pages/headers.ts'
import { readerOf } from '../pages/reader.ts'
import { discardBody, isReadFirst, isStillSent } from './connection/discard-body.ts'
import { isControlPath, isMediaPath, isUploadPath, pathOf } from './requests/paths.ts'
import { badRequest, type ErrorResponse, responseOfBug, responseOfRefusal } from './responses/errors.ts'
import { uploadNumbers } from './uploads/error-numbers.ts'

/** Sends an error: as a problem by the site's own API, as a page to a browser on a site, as text to an upload that wants text, else as JSON. */
export function sendError(
  app: App,
  error: FastifyError | Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (isMediaPath(pathOf(request.url))) return sendProblem(app, error, request, reply)
  const { status, headers, body } = responseOf(app, error, request)
  reply.code(status).headers(headers)
  if (request.hasTextErrors) {
    reply.header('content-type', 'text/plain; charset=utf-8')
    return sendText(app, request, reply, body.error.message)
  }
  if (wantsPage(request)) {
    const isRepeatable = headers['retry-after'] !== undefined && request.method === 'GET'
    const page = errorPage({
      siteName: siteNameOf(error, request),
      body,
      reader: request.reader ?? readerOf(request),
      isRepeatable,
    })
    setPageHeaders(app, request, reply)
    return sendText(app, request, reply, page)
  }
  reply.header('content-type', 'application/json; charset=utf-8')
  return sendText(app, request, reply, JSON.stringify(body))
}

function sendProblem(app: App, error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
  const refusal = error instanceof Refusal ? error : undefined
  const { status, headers, body } = responseOf(app, refusal ?? error, request)
  reply.code(status).headers(headers).header('content-type', 'application/problem+json; charset=utf-8')
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  const problem = problemOf({ refusal, status, body, requestId: request.requestId })
  return sendText(app, request, reply, JSON.stringify(problem))
}

function responseOf(app: App, error: FastifyError | Refusal, request: FastifyRequest): ErrorResponse {
  if (error instanceof Refusal) {
    if (error.kind === 'unavailable')
      app.log.warn({ code: error.code, cause: String(error.cause) }, error.message)
    return responseOfRefusal(error, hasUploadNumbers(request) ? uploadNumbers : undefined)
  }
  // The framework refused the request; its message is not meant for callers.
  if (error.statusCode !== undefined && error.statusCode < 500)
    return responseOfRefusal(badRequest('The request is malformed.'))
  const bug = responseOfBug(request.requestId)
  app.log.error(
    { incident: bug.incident, route: request.routeOptions?.url, stack: error.stack },
    'Something went wrong',
  )
  return bug
}

function hasUploadNumbers(request: FastifyRequest): boolean {
  const path = pathOf(request.url)
  return isUploadPath(path) && !isMediaPath(path)
}

const codesWithoutSite = ['unknown-host', 'bad-host', 'wrong-host', 'site-disabled']

/** Undefined if the request names no site, or one that shows nothing. */
function siteNameOf(error: FastifyError | Refusal, request: FastifyRequest): string | undefined {
  return codesWithoutSite.includes(error.code) ? undefined : request.client?.hostname
}

function wantsPage(request: FastifyRequest): boolean {
  const path = pathOf(request.url)
  if (isControlPath(path) || isUploadPath(path)) return false
  return /\btext\/html\b/.test(request.headers.accept ?? '')
}

function sendText(app: App, request: FastifyRequest, reply: FastifyReply, text: string) {
  if (request.method === 'HEAD' || !isStillSent(request.raw)) return reply.send(text)
  if (isReadFirst(request)) return discardBody(app, request).then(() => sendLast(request, reply, text))
  return reply
    .header('connection', 'close')
    .header('content-length', Buffer.byteLength(text))
    .send(Readable.from(textThenWait(app, request, text), { objectMode: false }))
}

function sendLast({ raw }: FastifyRequest, reply: FastifyReply, text: string) {
  if (!raw.complete) reply.header('connection', 'close')
  return reply.send(text)
}

/** The response is complete for the caller, and the connection stays open while the body is read. */
async function* textThenWait(app: App, request: FastifyRequest, text: string): AsyncGenerator<string> {
  yield text
  await discardBody(app, request)
}
