import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { knownTenantOfHost } from '../../tenants/index.ts'
import { pathOf } from './paths.ts'

const ofApi = /^\/(?:api\/1|1\/upload|api\/5)(?:\/|$)/

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/**
 * Counts in the usage of a site the requests to its APIs, refused ones too, but not those that the rate refuses; and the
 * requests that failed at the server.
 */
export function countRequests({ control }: App, server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    const isCall = ofApi.test(pathOf(request.url)) && statusCode !== 429 && !isPreflight(request)
    if (isCall || statusCode >= 500) {
      // The request has read the tenant.
      const tenant = knownTenantOfHost(control, request.client?.hostname ?? '', { isConfirmed: false })
      const counts = { ...(isCall && { apiRequests: 1 }), ...(statusCode >= 500 && { serverErrors: 1 }) }
      if (tenant?.isInstalled) control.pendingStats.add(tenant.site, undefined, counts)
    }
    done()
  })
}
