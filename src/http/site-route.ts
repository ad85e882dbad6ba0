import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { authoredBy, type Site, type UsedSite } from '../site/index.ts'
import { openSite, tenantOfHost, unconfirmedSite } from '../tenants/index.ts'
import { trackWork } from './connection/running-work.ts'
import type { Description, Method, ReadingMethod, SiteAccess } from './endpoint.ts'
import type { WithoutProof } from './requests/proof-rule.ts'
import { noSiteAt, orCannotRead, siteDisabled } from './responses/errors.ts'
import { checkNotSuspended } from './suspended-sites.ts'

/** Handles a request on the site that its host names. The site stays open until the handler returns. */
export type SiteHandler = (site: Site, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Makes the handler of an address once for each server. */
export type SiteHandle = (app: App) => SiteHandler

/** An address of every site: its description and its handler, which checks the access itself. */
export interface SiteEndpoint extends Description {
  access: SiteAccess
  handle: SiteHandle
  /** Begins what the handler will read, while a slow database confirms the site. */
  readAhead?: (site: Site, request: FastifyRequest) => void
}

/** An endpoint of another method than GET. No session counts at these addresses, so none needs a proof. */
export interface ChangingSiteEndpoint extends SiteEndpoint {
  proof: WithoutProof
}

export type SiteRoute = SiteAddress &
  (
    | { method: 'GET'; endpoint: SiteEndpoint }
    | { method: Exclude<Method, ReadingMethod>; endpoint: ChangingSiteEndpoint }
  )

interface SiteAddress {
  /** In the form of OpenAPI: `/image/{name}`. A `*` at the end matches the rest of the path. */
  path: string
  /** False if GET changes something: then a HEAD request must not run the handler. */
  hasHead?: boolean
}

interface OnSite {
  readAhead?: SiteEndpoint['readAhead']
  /** Whether it answers while a quota has suspended the site. */
  isOpen?: boolean
}

/** Opens the site that the request's host names and runs the handler on it. */
export function onSite(app: App, handler: SiteHandler, { readAhead, isOpen = false }: OnSite = {}) {
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const ahead = readAhead && unconfirmedSite(app.control, request.client.hostname)
    if (ahead) readAhead(ahead, request)
    await using site = await siteOfHost(app, request)
    // A preflight says nothing of the site, and the page must be able to read the refusal.
    if (!isOpen && request.method !== 'OPTIONS') checkNotSuspended(site)
    return await handler(site, request, reply)
  }
  return (request: FastifyRequest, reply: FastifyReply) => trackWork(app, handle(request, reply))
}

/** Opens the site that the request's host names. Its author is a guest until the caller is known. */
export async function siteOfHost(app: App, request: FastifyRequest): Promise<UsedSite> {
  const { host, hostname, isLocal } = request.client
  const tenant = await orCannotRead(tenantOfHost(app.control, hostname))
  if (!tenant) throw noSiteAt(host, isLocal)
  if (tenant.isInstalled) request.siteNumber = tenant.site
  if (!tenant.isEnabled) throw siteDisabled()
  const site = await openSite(app.control, tenant, { isConfirmed: true })
  return authoredBy(site, { kind: 'guest', address: request.client.address })
}
