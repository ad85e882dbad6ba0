import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problemForm, transformProblemForm } from './api/media-v5/problem.ts'
import { mediaServer } from './api/media-v5/serve.ts'
import { tusVersion } from './api/media-v5/uploads/tus-headers.ts'
import { unknownCall } from './api/upload-v1/endpoints.ts'
import { uploadErrorForm } from './api/upload-v1/handle-upload.ts'
import type { App } from './app.ts'
import { consolePath, consolePrefix } from './console/console-call.ts'
import { consoleErrorForm } from './console/error-page.ts'
import { openUnknown, serveConsole } from './console/guard.ts'
import { consoleRoutes } from './console/page-list.ts'
import { fastPath } from './delivery/fast-path.ts'
import { recordedPublicUrl } from './http/addresses/public-url.ts'
import { shareReaderSlots } from './http/connection/reader-slots.ts'
import { shareRefusedBytes } from './http/connection/request-body.ts'
import { shareMetrics } from './http/monitoring/metrics.ts'
import { allowedMethods, notFoundHandler, refuseMethod } from './http/not-found.ts'
import { guardsOf } from './http/requests/guards.ts'
import { isManagementPath, isMediaPath, isResumablePath, pathOf } from './http/requests/paths.ts'
import { shareRates } from './http/requests/rates.ts'
import { jsonForm } from './http/send-error.ts'
import { addressOf, type Doors, listen, type RunningServer } from './http/server.ts'
import { onSite, type SiteEndpoint } from './http/site-route.ts'
import { isOpenWhenSuspended } from './http/suspended-sites.ts'
import { shareUnauthenticatedBytes } from './http/uploads/source/unauthenticated-bytes.ts'
import { randomId } from './lib/ids.ts'
import { workRules } from './maintenance/index.ts'
import { shareViews } from './pages/browse/viewer/count-view.ts'
import { errorPageForm, inReaderWords } from './pages/error-page.ts'
import { checkPageRate, servePage, withRate } from './pages/guard.ts'
import { pageRoutes } from './pages/page-list.ts'
import { addPartsRoute } from './pages/parts-page.ts'
import { mediaRoutes, routes, siteRoutes } from './routes.ts'
import { startQuotaChecks } from './tenants/index.ts'
import { loadAssets, watchAssets } from './ui/assets/assets.ts'
import { assetsFastPath } from './ui/assets/assets-fast-path.ts'

/** Serves all doors: APIs, files, pages and the console. */
export const startServer = (app: App): Promise<RunningServer> => listen(app, doors)

export const doors: Doors = {
  async prepare(app) {
    loadAssets()
    shareRates(app)
    shareMetrics(app)
    shareReaderSlots(app)
    shareRefusedBytes(app)
    shareUnauthenticatedBytes(app)
    shareViews(app)
    // Once for each server: a further process only answers requests.
    if (app.processes.first) return new AsyncDisposableStack()
    await using opened = new AsyncDisposableStack()
    const onUnchecked = (fault: unknown, tenant: string) =>
      app.log.warn({ tenant, error: String(fault) }, 'Quotas could not be checked')
    opened.use(startQuotaChecks(app.control, onUnchecked))
    opened.use(app.work.start(workRules(app)))
    const baseOf = async (hostname: string) => (await recordedPublicUrl(app, hostname)).slice(0, -1)
    if (app.purges) opened.use(app.purges.start(baseOf))
    if (app.config.isDevelopment) opened.use(watchAssets())
    return opened.move()
  },
  addRoutes,
  onRequest(request, reply) {
    const path = pathOf(request.url)
    if (isMediaPath(path) || isManagementPath(path)) request.requestId = randomId()
    // Responses of the management API are the same for the same request, so that strangers learn nothing from them.
    if (isMediaPath(path)) reply.header('x-request-id', request.requestId)
    if (isResumablePath(path)) reply.header('tus-resumable', tusVersion)
  },
  errorForms: [
    inReaderWords(problemForm),
    uploadErrorForm,
    consoleErrorForm,
    errorPageForm,
    inReaderWords(transformProblemForm),
    inReaderWords(jsonForm),
  ],
  fastPaths: [assetsFastPath, fastPath],
}

function addRoutes(app: App, server: FastifyInstance): void {
  for (const { method, path, endpoint } of routes) {
    const handler = endpoint.handle(app)
    server.route({ ...addressOf({ method, path }), preValidation: guardsOf(app, endpoint), handler })
  }
  for (const { method, path, endpoint, hasHead = true } of siteRoutes) {
    const handle = endpoint.handle(app)
    const { readAhead } = endpoint
    const isOpen = isOpenWhenSuspended({ method, path })
    const handler = onSite(app, isPage(endpoint) ? withRate(app, handle) : handle, { readAhead, isOpen })
    server.route({ ...addressOf({ method, path, hasHead }), handler })
  }
  for (const route of pageRoutes) {
    const handle = servePage(app, route)
    const isOpen = isOpenWhenSuspended(route)
    const handler = onSite(app, route.isAsset ? handle : withRate(app, handle), { isOpen })
    server.route({ ...addressOf(route), handler })
  }
  addConsoleRoutes(app, server)
  addPartsRoute(app, server)
  // Any word may be a person's name: that makes no address of it.
  const ownPages = pageRoutes.filter(({ path }) => !path.startsWith('/{'))
  const notFound = notFoundHandler(app, {
    control: routes,
    sites: [...siteRoutes, ...ownPages],
    checkRate: checkPageRate,
  })
  addMediaRoutes(app, server, notFound)
  server.setNotFoundHandler(notFound)
}

function addConsoleRoutes(app: App, server: FastifyInstance): void {
  const addresses = consoleRoutes.map((route) => ({
    route,
    method: route.method,
    path: consolePath(route.path),
  }))
  for (const { route, ...address } of addresses)
    server.route({ ...addressOf(address), handler: serveConsole(app, route) })
  const methodsOf = allowedMethods(addresses)
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    await openUnknown(app, request)
    return refuseMethod(request, reply, methodsOf(pathOf(request.url)))
  }
  const othersOfRoot = everyMethod.filter((method) => !methodsOf(consolePrefix).includes(method))
  server.route({ method: othersOfRoot, url: consolePrefix, handler })
  server.route({ method: everyMethod, url: `${consolePrefix}/*`, handler })
}

/** Uploads have a rate of their own, and bytes are bounded by their readers. */
const isPage = ({ tag }: SiteEndpoint) => tag !== 'Files' && tag !== 'Upload'

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The addresses of the sites' own API, and a catch-all for the others below `/api/5`: without it the upload API would refuse
 * them. `/api/5/upload` is refused by the upload API, whose clients know that refusal.
 */
function addMediaRoutes(
  app: App,
  server: FastifyInstance,
  notFound: ReturnType<typeof notFoundHandler>,
): void {
  const { serve, refuse } = mediaServer(app)
  for (const { endpoint, ...address } of mediaRoutes)
    server.route({
      ...addressOf(address),
      handler: onSite(app, serve(endpoint), { isOpen: isOpenWhenSuspended(address) }),
    })
  const otherVersion = onSite(app, unknownCall.handle(app))
  for (const method of ['GET', 'POST']) server.route({ method, url: '/api/5/upload', handler: otherVersion })
  const refuseCall = onSite(app, refuse(allowedMethods(mediaRoutes)))
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    isMediaPath(pathOf(request.url)) ? refuseCall(request, reply) : notFound(request, reply)
  for (const url of ['/api/5', '/api/5/*']) server.route({ method: everyMethod, url, handler })
}
