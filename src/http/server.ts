import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { App } from '../app.ts'
import type { Refusal } from '../lib/refusal.ts'
import { fastLane, type Lane } from './delivery/fast-lane.ts'
import { fileCors, firstHeaders } from './first-headers.ts'
import { checkAllowList, gatesOf } from './gates.ts'
import { measureRequests } from './metrics.ts'
import { isFilePath, isManagementPath, isUploadPath, pathOf } from './paths.ts'
import { answerByHand, answerClientError, rememberAnswer } from './raw-answers.ts'
import { routes, siteRoutes } from './routes.ts'
import { sendError } from './send-error.ts'
import { onSite } from './site-route.ts'
import { answerUnrouted } from './unrouted.ts'
import { prepareSpool } from './upload-v1/spool-folder.ts'
import { pathOfTarget, visitorOf } from './visitor.ts'

/** Any page may upload with a key; none of them is given a cookie to do it with. */
const uploadCors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'content-type, x-api-key, authorization, cache-control, x-requested-with',
  'access-control-max-age': '86400',
}

const filePreflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers':
    'range, if-range, if-match, if-none-match, if-modified-since, cache-control',
  'access-control-max-age': '86400',
}

const times = { requestTimeout: 300_000, keepAliveTimeout: 5_000 }

/** A missing Host is refused by us, in our envelope; slow headers are looked for more often than twice a minute. */
const listenerOptions = {
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false,
}

/** Bodies are read where they are checked, since a signature needs the raw bytes: no method has one to the framework. */
const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

/** The whole service as one Fastify instance, not yet listening. */
export function buildServer(app: App): FastifyInstance {
  const server = Fastify({
    logger: false,
    rewriteUrl: pathOfTarget,
    // Headers end before a parameter can be this long: an id is too long for a tenant, never for the router.
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 65_536 },
    ...times,
    http: listenerOptions,
    forceCloseConnections: 'idle',
    // Whoever is heard while we close is answered like anybody before.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => sendFrameworkError(app, error, request, reply),
    clientErrorHandler: answerClientError,
  })
  for (const method of methodsWithBody)
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  server.setErrorHandler<FastifyError>((error, request, reply) => sendError(app, error, request, reply))
  const measure = measureRequests(app, server)

  server.addHook('onRequest', async (request, reply) => meet(app, request, reply))
  for (const { method, path, endpoint } of routes) {
    server.route({
      method,
      url: urlOf(path),
      preValidation: gatesOf(app, endpoint),
      handler: endpoint.handle(app),
    })
  }
  for (const { method, path, handle, hasHead = true } of siteRoutes) {
    const handler = onSite(app, handle(app))
    server.route({ method, url: urlOf(path), exposeHeadRoute: hasHead, handler })
  }
  server.setNotFoundHandler(answerUnrouted(app))
  answerByHand(server.server)
  putInFront(server.server, fastLane(app, server.server, measure))
  return server
}

/** The framework listens from the moment it is made. */
function putInFront(server: Server, lane: Lane): void {
  const [framework] = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (!lane(request, response)) framework?.call(server, request, response)
  })
}

/** The router's own form of a path. */
const urlOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** What comes before everything else, whatever is asked for. */
function meet(app: App, request: FastifyRequest, reply: FastifyReply): void {
  rememberAnswer(reply.raw)
  reply.headers(firstHeaders)
  request.visitor = visitorOf(request.raw, app.config)
  const path = pathOf(request.url)
  if (isUploadPath(path)) reply.headers(uploadCors)
  if (isFilePath(path)) reply.headers(request.method === 'OPTIONS' ? filePreflight : fileCors)
  if (isManagementPath(path)) checkAllowList(app, request)
}

/** What the framework refuses has not passed through any hook. */
function sendFrameworkError(app: App, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  let reason: FastifyError | Refusal = error
  try {
    meet(app, request, reply)
  } catch (refusal) {
    reason = refusal as Refusal
  }
  sendError(app, reason, request, reply)
}

export interface RunningServer extends AsyncDisposable {
  port: number
  internalPort: number | undefined
}

/** Listens where the configuration says, until disposed: then it takes nothing new and finishes what it has. */
export async function startServer(app: App): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack()
  await prepareSpool(app)
  const server = buildServer(app)
  opened.defer(() => server.close())
  await server.listen({ host: app.config.listen.host, port: app.config.listen.port })
  const internal = await startInternal(app, server)
  if (internal) opened.use(internal)
  const all = opened.move()
  return {
    port: portOf(server.server),
    internalPort: internal && portOf(internal),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function startInternal(app: App, server: FastifyInstance): Promise<Server | undefined> {
  if (app.config.internalPort === undefined) return undefined
  const internal = createServer({ ...listenerOptions, ...times }, (request, response) =>
    server.routing(request, response),
  )
  internal.on('clientError', answerClientError)
  answerByHand(internal)
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
