import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { UsedSite } from '../site/index.ts'
import { openSite, tenantOfHost } from '../tenants/index.ts'
import { orCannotRead, siteDisabled, unknownHost } from './errors.ts'

/** The site that a request is for, opened. */
export async function siteOfHost(app: App, request: FastifyRequest): Promise<UsedSite> {
  const tenant = await orCannotRead(tenantOfHost(app.control, request.visitor.hostname))
  if (!tenant) throw unknownHost()
  if (!tenant.isEnabled) throw siteDisabled()
  return openSite(app.control, tenant)
}
