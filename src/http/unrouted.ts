import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { allowedMethods } from './allowed-methods.ts'
import { methodNotAllowed, routeNotFound } from './errors.ts'
import { pagePolicy, plainPage } from './pages.ts'
import { isControlPath, pathOf } from './paths.ts'
import { routes } from './routes.ts'
import { siteOfHost } from './site-of-host.ts'

/** What no route of the control plane answers: another method, an address that is not there, or a site. */
export function answerUnrouted(app: App) {
  const methodsOf = allowedMethods(routes)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url)
    // Asked of the server as a whole, and not of any address on it.
    if (path === '*') return reply.code(204).send()
    if (!isControlPath(path)) return answerSite(app, request, reply)
    const methods = methodsOf(path)
    if (methods.length === 0) throw routeNotFound()
    return refuseMethod(request, reply, methods)
  }
}

async function answerSite(app: App, request: FastifyRequest, reply: FastifyReply) {
  await using site = await siteOfHost(app, request)
  if (!/^\/+$/.test(pathOf(request.url))) throw routeNotFound()
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuseMethod(request, reply, ['GET', 'HEAD', 'OPTIONS'])
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy)
    .send(plainPage(site.hostname, 'This site is up. There is nothing to see yet.'))
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  reply.header('allow', methods.join(', '))
  if (request.method === 'OPTIONS') return reply.code(204).send()
  throw methodNotAllowed(methods)
}
