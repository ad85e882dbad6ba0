import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { authoredBy, type UsedSite } from '../../site/index.ts'
import { openSite, tenantOfHost } from '../../tenants/index.ts'
import { noSiteAt, orCannotRead, siteDisabled } from '../responses/errors.ts'

/** Opens the site that the request's host names. Its author is a guest until the caller is known. */
export async function siteOfHost(app: App, request: FastifyRequest): Promise<UsedSite> {
  const { host, hostname, isLocal } = request.client
  const tenant = await orCannotRead(tenantOfHost(app.control, hostname))
  if (!tenant) throw noSiteAt(host, isLocal)
  if (!tenant.isEnabled) throw siteDisabled()
  const site = await openSite(app.control, tenant, { isConfirmed: true })
  return authoredBy(site, { kind: 'guest', address: request.client.address })
}
