import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { pageRoutes } from '../pages/page-list.ts'
import { checkPageRate } from '../pages/page-rates.ts'
import { routes, siteRoutes } from '../routes.ts'
import { allowedMethods } from './requests/allowed-methods.ts'
import { isControlPath, pathOf } from './requests/paths.ts'
import { siteOfHost } from './requests/site-of-host.ts'
import { methodNotAllowed, routeNotFound } from './responses/errors.ts'

/** Answers requests that match no route: 405 for another method, else 404. */
export function notFoundHandler(app: App) {
  const methodsOf = allowedMethods(routes)
  // Any word may be a person's name: that makes no address of it.
  const ownPages = pageRoutes.filter(({ path }) => !path.startsWith('/{'))
  const siteMethodsOf = allowedMethods([...siteRoutes, ...ownPages])
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url)
    // OPTIONS * is about the server as a whole (RFC 9110, 9.3.7).
    if (path === '*') return reply.code(204).send()
    if (isControlPath(path)) return refuseMethod(request, reply, methodsOf(path))
    // An unknown host is refused first, whatever the path.
    await using site = await siteOfHost(app, request)
    await checkPageRate(app, site, request)
    return refuseMethod(request, reply, siteMethodsOf(path))
  }
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (methods.length === 0) throw routeNotFound()
  reply.header('allow', methods.join(', '))
  if (request.method === 'OPTIONS') return reply.code(204).send()
  throw methodNotAllowed(methods)
}
