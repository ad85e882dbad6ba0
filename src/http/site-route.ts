import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { Site } from '../site/index.ts'
import type { Method } from './endpoint.ts'
import { siteOfHost } from './site-of-host.ts'

/** What an address does on every site. The site is open until the answer is handed over. */
export type SiteHandler = (site: Site, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export interface SiteRoute {
  method: Method
  /** In the form of the control plane's: `/image/{name}`; a `*` at the end is everything below. */
  path: string
  handle: (app: App) => SiteHandler
  /** False where GET does something, so that nobody may ask for it without its answer. */
  hasHead?: boolean
}

/** Finds the site that a request is for and hands both on. */
export function onSite(app: App, handler: SiteHandler) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await using site = await siteOfHost(app, request)
    return await handler(site, request, reply)
  }
}
