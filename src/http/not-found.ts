import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { Site } from '../site/index.ts'
import type { Route } from './endpoint.ts'
import { isControlPath, pathOf } from './requests/paths.ts'
import { methodNotAllowed, routeNotFound } from './responses/errors.ts'
import { siteOfHost } from './site-route.ts'
import { checkNotSuspended } from './suspended-sites.ts'

interface KnownAddresses {
  /** Of the control plane. */
  control: readonly Address[]
  sites: readonly Address[]
  /** Counts a request to an address of a site that does not exist. */
  checkRate: (app: App, site: Site, request: FastifyRequest) => Promise<void>
}

/** Answers requests that match no route: 405 for another method, else 404. */
export function notFoundHandler(app: App, { control, sites, checkRate }: KnownAddresses) {
  const controlMethodsOf = allowedMethods(control)
  const siteMethodsOf = allowedMethods(sites)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url)
    // OPTIONS * is about the server as a whole (RFC 9110, 9.3.7).
    if (path === '*') return reply.code(204).send()
    if (isControlPath(path)) return refuseMethod(request, reply, controlMethodsOf(path))
    // An unknown host is refused first, whatever the path.
    await using site = await siteOfHost(app, request)
    checkNotSuspended(site)
    await checkRate(app, site, request)
    return refuseMethod(request, reply, siteMethodsOf(path))
  }
}

export function refuseMethod(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (methods.length === 0) throw routeNotFound()
  reply.header('allow', methods.join(', '))
  if (request.method === 'OPTIONS') return reply.code(204).send()
  throw methodNotAllowed(methods)
}

export interface Address extends Pick<Route, 'method' | 'path'> {
  hasHead?: boolean
}

/** The methods that a path allows; empty if no route has this path. */
export function allowedMethods(routes: readonly Address[]): (path: string) => string[] {
  const patterns = routes.map(({ path, ...route }) => ({ ...route, form: formOf(path) }))
  return (path) => {
    const methods = patterns.filter(({ form }) => form.test(path)).flatMap(methodsOf)
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort()
  }
}

/** GET implies HEAD, unless the route says otherwise. */
export const methodsOf = ({ method, hasHead = true }: Omit<Address, 'path'>): string[] =>
  method === 'GET' && hasHead ? ['GET', 'HEAD'] : [method]

const formOf = (path: string) =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll('/', '/+')
      .replaceAll('*', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}/*$`,
  )
