import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { allowedMethods } from './allowed-methods.ts'
import { methodNotAllowed, routeNotFound } from './errors.ts'
import { isControlPath, pathOf } from './paths.ts'
import { routes, siteRoutes } from './routes.ts'
import { siteOfHost } from './site-of-host.ts'

/** What no route answers: another method, or an address that is not there. */
export function answerUnrouted(app: App) {
  const methodsOf = allowedMethods(routes)
  const siteMethodsOf = allowedMethods(siteRoutes)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url)
    // Asked of the server as a whole, and not of any address on it.
    if (path === '*') return reply.code(204).send()
    if (isControlPath(path)) return refuseMethod(request, reply, methodsOf(path))
    // A host without a site is told so whatever is asked of it.
    await using _site = await siteOfHost(app, request)
    return refuseMethod(request, reply, siteMethodsOf(path))
  }
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (methods.length === 0) throw routeNotFound()
  reply.header('allow', methods.join(', '))
  if (request.method === 'OPTIONS') return reply.code(204).send()
  throw methodNotAllowed(methods)
}
