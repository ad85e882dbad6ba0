import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { knownTenantOfHost } from '../../tenants/index.ts'
import { pathOf } from './paths.ts'

const ofApi = /^\/(?:api\/1|1\/upload|api\/5)(?:\/|$)/

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** Counts the requests to the APIs of a site in its usage, refused ones too; not those that the rate refuses. */
export function countApiRequests({ control }: App, server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    if (ofApi.test(pathOf(request.url)) && reply.statusCode !== 429 && !isPreflight(request)) {
      // The request has read the tenant.
      const tenant = knownTenantOfHost(control, request.client?.hostname ?? '', { isConfirmed: false })
      if (tenant?.isInstalled) control.pendingStats.add(tenant.site, undefined, { apiRequests: 1 })
    }
    done()
  })
}
