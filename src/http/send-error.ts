import { Readable } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { BrokenRule } from '../lib/faults.ts'
import { Refusal } from '../lib/refusal.ts'
import { discardBody, isStillSent, mustReadBodyFirst } from './connection/request-body.ts'
import { badRequest, type ErrorResponse, responseOfBug, responseOfRefusal } from './responses/errors.ts'

/** Why a request was refused, and the response in our envelope. */
export interface Failure {
  error: FastifyError | Refusal
  response: ErrorResponse
  /** What is wrong with a field, in the words of a reader; those of the API by default. */
  faultText?: (rule: BrokenRule) => string
}

/** How a door writes its errors. */
export interface ErrorForm {
  fits: (request: FastifyRequest, error: FastifyError | Refusal) => boolean
  /** `error.code` by the code of a refusal; all others have their status. */
  numbers?: Readonly<Record<string, number>>
  /** Reads what the form shows beside the error. */
  prepare?: (app: App, request: FastifyRequest, error: FastifyError | Refusal) => Promise<void>
  /** Sets the headers and returns the body. */
  write: (app: App, request: FastifyRequest, reply: FastifyReply, failure: Failure) => string
}

/** The envelope of all JSON errors. */
export const jsonForm: ErrorForm = {
  fits: () => true,
  write: (_app, _request, reply, { response }) => {
    reply.header('content-type', 'application/json; charset=utf-8')
    return JSON.stringify(response.body)
  },
}

export type SendError = (
  app: App,
  error: FastifyError | Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

/** Sends an error in the first form that fits the request; the last one fits all. */
export const errorSender =
  (forms: readonly ErrorForm[]): SendError =>
  async (app, error, request, reply) => {
    const form = forms.find(({ fits }) => fits(request, error)) ?? jsonForm
    await form.prepare?.(app, request, error)
    const response = responseOf(app, error, { request, numbers: form.numbers })
    reply.code(response.status).headers(response.headers)
    return sendText(app, request, reply, form.write(app, request, reply, { error, response }))
  }

function responseOf(
  app: App,
  error: FastifyError | Refusal,
  { request, numbers }: { request: FastifyRequest; numbers: ErrorForm['numbers'] },
): ErrorResponse {
  if (error instanceof Refusal) {
    if (error.kind === 'unavailable')
      app.log.warn({ code: error.code, cause: String(error.cause) }, error.message)
    return responseOfRefusal(error, numbers)
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

function sendText(app: App, request: FastifyRequest, reply: FastifyReply, text: string) {
  if (request.method === 'HEAD' || !isStillSent(request.raw)) return reply.send(text)
  if (mustReadBodyFirst(request)) return discardBody(app, request).then(() => sendLast(request, reply, text))
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
