import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { Refusal } from '../lib/refusal.ts'
import { allowedMethods } from './allowed-methods.ts'
import { answerOfBug, answerOfRefusal, badRequest, type ErrorAnswer, methodNotAllowed, routeNotFound } from './errors.ts'
import { checkAllowList, gatesOf } from './gates.ts'
import { measureRequests } from './metrics.ts'
import { pagePolicy, plainPage } from './pages.ts'
import { routes } from './routes.ts'
import { siteOfHost } from './site-of-host.ts'
import { pathOfTarget, visitorOf } from './visitor.ts'

/** The whole service as one Fastify instance, not yet listening. */
export function buildServer(app: App): FastifyInstance {
  const server = Fastify({
    logger: false,
    rewriteUrl: pathOfTarget,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 200 },
    requestTimeout: 300_000,
    keepAliveTimeout: 5_000,
    http: { headersTimeout: 15_000 },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => sendError(app, error, request, reply),
    clientErrorHandler: answerClientError,
  })
  // Bodies are read where they are checked: a signature needs the raw bytes.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.setErrorHandler<FastifyError>((error, request, reply) => sendError(app, error, request, reply))
  measureRequests(app, server)

  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    request.visitor = visitorOf(request.raw, app.config)
    if (isApiPath(request.url)) checkAllowList(app, request)
  })
  for (const { method, path, endpoint } of routes) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
    server.route({ method, url, preValidation: gatesOf(app, endpoint), handler: endpoint.handle(app) })
  }
  server.setNotFoundHandler(answerUnrouted(app))
  return server
}

const isApiPath = (url: string) => /^\/+_\/+api\/+4(?:[/?]|$)/.test(url)
const isControlPath = (url: string) => /^\/+_(?:[/?]|$)/.test(url)

function answerUnrouted(app: App) {
  const methodsOf = allowedMethods(routes)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isControlPath(request.url)) return answerSite(app, request, reply)
    const methods = methodsOf(request.url.split('?', 1)[0] ?? '')
    if (methods.length === 0) throw routeNotFound()
    reply.header('allow', methods.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    throw methodNotAllowed(methods)
  }
}

async function answerSite(app: App, request: FastifyRequest, reply: FastifyReply) {
  await using site = await siteOfHost(app, request)
  if (request.url.split('?', 1)[0] !== '/') throw routeNotFound()
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy)
    .send(plainPage(site.hostname, 'This site is up. There is nothing to see yet.'))
}

function sendError(app: App, error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
  const answer = answerOf(app, error, request)
  // What is left of a body that nobody reads would be taken for the next request.
  if (!request.raw.complete) reply.header('connection', 'close')
  reply.code(answer.status).headers(answer.headers)
  if (wantsPage(request)) {
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', pagePolicy)
      .send(plainPage(answer.body.status_txt, answer.body.error.message))
  }
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer.body))
}

function answerOf(app: App, error: FastifyError | Refusal, request: FastifyRequest): ErrorAnswer {
  if (error instanceof Refusal) {
    if (error.kind === 'unavailable') app.log.warn({ code: error.code, cause: String(error.cause) }, error.message)
    return answerOfRefusal(error)
  }
  // The framework's own refusals are the caller's fault; their texts are not ours to show.
  if (error.statusCode !== undefined && error.statusCode < 500) return answerOfRefusal(badRequest('The request is malformed.'))
  const bug = answerOfBug()
  app.log.error({ incident: bug.incident, route: request.routeOptions?.url, stack: error.stack }, 'Something went wrong')
  return bug
}

const wantsPage = (request: FastifyRequest) =>
  !isControlPath(request.url) && !/^\/+(api|1)\//.test(request.url) && /\btext\/html\b/.test(request.headers.accept ?? '')

/** What cannot even be read as a request is answered by hand, in the same envelope. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const code = clientErrorCodes[error.code ?? ''] ?? 'bad-request'
  const { status, body } = answerOfRefusal(new Refusal('invalid', code, 'The request cannot be read.'))
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} ${body.status_txt}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
      `Connection: close\r\n\r\n${text}`,
  )
}

const clientErrorCodes: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'too-slow',
}

export interface RunningServer extends AsyncDisposable {
  port: number
  internalPort: number | undefined
}

/** Listens where the configuration says, until disposed: then it takes nothing new and finishes what it has. */
export async function startServer(app: App): Promise<RunningServer> {
  const server = buildServer(app)
  await server.listen({ host: app.config.listen.host, port: app.config.listen.port })
  const internal = await startInternal(app, server)
  return {
    port: portOf(server.server),
    internalPort: internal && portOf(internal),
    async [Symbol.asyncDispose]() {
      internal?.close()
      internal?.closeIdleConnections()
      await server.close()
    },
  }
}

async function startInternal(app: App, server: FastifyInstance): Promise<Server | undefined> {
  if (app.config.internalPort === undefined) return undefined
  const internal = createServer((request, response: ServerResponse) => server.routing(request, response))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  internal.once('error', reject)
  internal.listen(app.config.internalPort, '127.0.0.1', resolve)
  await promise
  return internal
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

