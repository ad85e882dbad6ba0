import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { Site } from '../site/index.ts'
import { type Address, allowedMethods } from './requests/allowed-methods.ts'
import { isControlPath, pathOf } from './requests/paths.ts'
import { siteOfHost } from './requests/site-of-host.ts'
import { methodNotAllowed, routeNotFound } from './responses/errors.ts'

interface KnownAddresses {
  /** Of the control plane. */
  control: readonly Address[]
  sites: readonly Address[]
  /** Counts a request to an address of a site that does not exist. */
  checkRate: (app: App, site: Site, request: FastifyRequest) => Promise<void>
}

/** Answers requests that match no route: 405 for another method, else 404. */
export function notFoundHandler(app: App, { control, sites, checkRate }: KnownAddresses) {
  const methodsOf = allowedMethods(control)
  const siteMethodsOf = allowedMethods(sites)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url)
    // OPTIONS * is about the server as a whole (RFC 9110, 9.3.7).
    if (path === '*') return reply.code(204).send()
    if (isControlPath(path)) return refuseMethod(request, reply, methodsOf(path))
    // An unknown host is refused first, whatever the path.
    await using site = await siteOfHost(app, request)
    await checkRate(app, site, request)
    return refuseMethod(request, reply, siteMethodsOf(path))
  }
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (methods.length === 0) throw routeNotFound()
  reply.header('allow', methods.join(', '))
  if (request.method === 'OPTIONS') return reply.code(204).send()
  throw methodNotAllowed(methods)
}
