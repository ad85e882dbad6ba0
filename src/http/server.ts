import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { App } from '../app.ts'
import type { Refusal } from '../lib/refusal.ts'
import { changeModes } from '../storage/index.ts'
import { recordAddress } from './addresses/public-url.ts'
import { listenAtSecondAddress, otherHostOf } from './connection/other-address.ts'
import { limitPipelines } from './connection/pipelines.ts'
import { watchProgress } from './connection/progress.ts'
import {
  type FastPath,
  handleClientError,
  handleConnect,
  probeHalfClosed,
  trackResponse,
} from './connection/raw-responses.ts'
import { delayContinue } from './connection/request-body.ts'
import { workEnded } from './connection/running-work.ts'
import { addressToShare } from './connection/shared-port.ts'
import { type Measure, measureRequests } from './monitoring/metrics.ts'
import { type Address, methodsOf } from './not-found.ts'
import { recordRefusal } from './requests/caller-records.ts'
import { clientInfoOf, isUnderHttps, pathOfTarget } from './requests/client-info.ts'
import { corsOf } from './requests/cors.ts'
import { countRequest, countRequests } from './requests/count-requests.ts'
import { checkAllowList } from './requests/guards.ts'
import { isManagementPath, pathOf } from './requests/paths.ts'
import { headersTimeoutMs, mostHeaderBytes } from './responses/errors.ts'
import { dropBodyOfHead, firstHeaders, httpsHeaders } from './responses/headers.ts'
import { type ErrorForm, errorSender, type SendError } from './send-error.ts'
import { prepareSpool } from './uploads/source/spool.ts'

/** No limit on the duration of a request: `watchProgress` ends those that stand still. */
const timesOf = ({ config }: App) => ({
  requestTimeout: 0,
  keepAliveTimeout: config.connections.keepAliveMs,
})

/** Our own code refuses a missing Host, in our envelope. Node checks for slow headers every 5 s instead of every 30 s. */
const listenerOptions = {
  headersTimeout: headersTimeoutMs,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: mostHeaderBytes,
  requireHostHeader: false,
}

/** A signature needs the raw bytes, so our guards read the bodies: for the framework no method has one. */
const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

/** Our own code checks bodies and writes JSON. Without this the framework loads two compilers of schemas, 80 modules, at each start. */
const noSchemas = () => {
  throw new Error('Routes have no schemas of the framework.')
}

/** What the server answers: the routes of all doors, and how they write their errors. */
export interface Doors {
  /** What must be there before the first request; disposed when the server has closed. */
  prepare: (app: App) => Promise<AsyncDisposable>
  addRoutes: (app: App, server: FastifyInstance) => void
  /** Runs before routing. */
  onRequest: (request: FastifyRequest, reply: FastifyReply) => void
  errorForms: readonly ErrorForm[]
  /** Tried in this order before the framework. */
  fastPaths: readonly ((app: App, server: Server, measure: Measure) => FastPath)[]
}

/** The whole service as one Fastify instance, not yet listening. */
export function buildServer(app: App, doors: Doors): FastifyInstance {
  const sendError = errorSender(doors.errorForms)
  const server = Fastify({
    logger: false,
    rewriteUrl: pathOfTarget,
    exposeHeadRoutes: false,
    // Longer than the header limit, so that the router never refuses a parameter.
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 65_536 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...timesOf(app),
    http: listenerOptions,
    forceCloseConnections: 'idle',
    // Requests that arrive while the server closes are answered as before.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendFrameworkError(app, error, { request, reply, doors, sendError }),
    clientErrorHandler: handleClientError,
  })
  for (const method of methodsWithBody)
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  server.setErrorHandler<FastifyError>(async (error, request, reply) => {
    await recordRefusal(app, request, error)
    return sendError(app, error, request, reply)
  })
  const measure = measureRequests(app, server)
  countRequests(app, server)
  server.addHook('onRequest', async (request, reply) => onRequest(app, doors, request, reply))
  doors.addRoutes(app, server)
  prepareListener(app, server.server)
  putInFront(
    server.server,
    doors.fastPaths.map((fastPath) => fastPath(app, server.server, measure)),
  )
  return server
}

/** Behaviour of every connection of a listener. */
function prepareListener(app: App, server: Server): void {
  handleConnect(server)
  delayContinue(server)
  watchProgress(server, app.config.connections)
  // RFC 9112, 9.6: a client may close its sending half after its request, and still wants the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  probeHalfClosed(server)
}

/** Replaces Fastify's listener by one that tries the fast paths first. */
function putInFront(server: Server, fastPaths: readonly FastPath[]): void {
  const [framework] = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  const handle: RequestListener = (request, response) => {
    const leave = () => framework?.call(server, request, response)
    if (!fastPaths.some((fastPath) => fastPath(request, response, leave))) leave()
  }
  server.on('request', limitPipelines(handle))
}

/**
 * Methods and path in the form of the router. GET and HEAD are one route: the framework would add a second one for HEAD,
 * which made the start dearer by a tenth.
 */
export function addressOf(route: Address) {
  const method = methodsOf(route)
  const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
  return { method, url, ...(method.includes('HEAD') && { onSend: dropBodyOfHead }) }
}

/** Runs before routing, for every request. */
function onRequest(app: App, doors: Doors, request: FastifyRequest, reply: FastifyReply): void {
  trackResponse(reply.raw)
  const path = pathOf(request.url)
  // Before any refusal: a page of another origin must be able to read the reason.
  reply.headers(firstHeaders).headers(corsOf(request.method, path))
  if (isUnderHttps(request.raw, app.config)) reply.headers(httpsHeaders)
  doors.onRequest(request, reply)
  request.client = clientInfoOf(request.raw, app.config)
  if (request.client.scheme) recordAddress(app, app.config, request.client.scheme)
  if (isManagementPath(path)) checkAllowList(app.config.apiAllowList, request)
}

/** A request that the framework refuses has not run any hook. */
function sendFrameworkError(
  app: App,
  error: FastifyError,
  {
    request,
    reply,
    doors,
    sendError,
  }: { request: FastifyRequest; reply: FastifyReply; doors: Doors; sendError: SendError },
) {
  let reason: FastifyError | Refusal = error
  try {
    onRequest(app, doors, request, reply)
  } catch (refusal) {
    reason = refusal as Refusal
  }
  reply.raw.once('close', () => countRequest(app, request, reply.statusCode))
  void sendError(app, reason, request, reply)
}

export interface RunningServer extends AsyncDisposable {
  port: number
  internalPort: number | undefined
}

/**
 * Listens until disposed; then it accepts no connections and finishes the running requests. Connections that do not end
 * in time are closed, so that a slow client cannot keep the process from stopping.
 */
export async function listen(app: App, doors: Doors): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack()
  if (!app.processes.first) {
    await prepareSpool(app)
    await shareFiles(app)
  }
  opened.use(await doors.prepare(app))
  const server = buildServer(app, doors)
  let internal: Server | undefined
  let other: AsyncDisposable | undefined
  opened.defer(() => workEnded(app, longestLastWorkMs))
  opened.defer(() => closeInTime(app, server, internal, other))
  const address = await addressToShare(app)
  await server.listen(address)
  const otherHost = otherHostOf(app.config)
  if (otherHost !== undefined)
    other = await listenAtSecondAddress(server.server, {
      ...address,
      host: otherHost,
      port: portOf(server.server),
    })
  internal = await startInternal(app, server)
  recordAddress(app, { ...app.config, listen: { ...app.config.listen, port: portOf(server.server) } })
  const all = opened.move()
  return {
    port: portOf(server.server),
    internalPort: internal && portOf(internal),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Before the first request: a proxy that sends files itself must be able to read all of them. */
async function shareFiles({ config, log }: App): Promise<void> {
  try {
    const files = await changeModes(config.dataDir, config.isFilesShared)
    if (files) log.info({ files, isShared: config.isFilesShared }, 'The mode of stored files was changed')
  } catch (error) {
    // A full or read-only disk still serves what it has. The next start tries again.
    log.error({ error: String(error) }, 'The mode of stored files could not be changed')
  }
}

/** For handlers whose connection was closed: to remove their files, or to finish the upload that they have read. */
const longestLastWorkMs = 3_000

/** A keep-alive connection may bring another request while the server closes, but for a shorter time. */
const lastKeepAliveMs = 5_000

async function closeInTime(
  app: App,
  server: FastifyInstance,
  internal: Server | undefined,
  other: AsyncDisposable | undefined,
): Promise<void> {
  const listeners = [server.server, ...(internal ? [internal] : [])]
  for (const each of listeners) each.keepAliveTimeout = Math.min(each.keepAliveTimeout, lastKeepAliveMs)
  const timer = setTimeout(() => {
    for (const each of listeners) each.closeAllConnections()
  }, app.config.connections.stopMs)
  try {
    await Promise.all([server.close(), internal?.[Symbol.asyncDispose](), other?.[Symbol.asyncDispose]()])
  } finally {
    clearTimeout(timer)
  }
}

async function startInternal(app: App, server: FastifyInstance): Promise<Server | undefined> {
  if (app.config.internalPort === undefined) return undefined
  const handle = limitPipelines((request, response) => server.routing(request, response))
  const internal = createServer({ ...listenerOptions, ...timesOf(app) }, handle)
  internal.on('clientError', handleClientError)
  prepareListener(app, internal)
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
