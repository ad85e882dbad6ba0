import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { Control } from '../../control/index.ts'
import { knownTenantOfHost } from '../../tenants/index.ts'
import { pathOf } from './paths.ts'

const ofApi = /^\/+(?:api\/+[15]|1\/+upload)(?:\/|$)/

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/**
 * Counts in the usage of a site the requests to its APIs, refused ones too, but not those that the rate refuses; and the
 * requests that failed at the server.
 */
export function countRequests(app: App, server: FastifyInstance): void {
  server.addHook('onResponse', (request, { statusCode }, done) => {
    countRequest(app, request, statusCode)
    done()
  })
}

/** Of an address that the router cannot read the framework runs no hook. */
export function countRequest({ control }: App, request: FastifyRequest, statusCode: number): void {
  const isCall = ofApi.test(pathOf(request.url)) && statusCode !== 429 && !isPreflight(request)
  if (!isCall && statusCode < 500) return
  const site = request.siteNumber ?? knownSiteOf(control, request)
  const counts = { ...(isCall && { apiRequests: 1 }), ...(statusCode >= 500 && { serverErrors: 1 }) }
  if (site !== undefined) control.pendingStats.add(site, undefined, counts)
}

/** A request that was refused before its tenant was read: without a wait, so only if an earlier request has read it. */
function knownSiteOf(control: Control, { client }: FastifyRequest): number | undefined {
  const tenant = knownTenantOfHost(control, client?.hostname ?? '', { isConfirmed: false })
  return tenant?.isInstalled ? tenant.site : undefined
}
