import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { pathOf } from '../http/requests/paths.ts'
import { type RatePolicy, ratedCaller, takeRate } from '../http/requests/rates.ts'
import type { SiteHandler } from '../http/site-route.ts'
import type { Site } from '../site/index.ts'
import { sessionOf } from './guard.ts'

/** A handler of a page whose reads and searches count with those of `/api/5`. */
export const withRate =
  (app: App, handler: SiteHandler): SiteHandler =>
  async (site, request, reply) => {
    await checkPageRate(app, site, request)
    return handler(site, request, reply)
  }

const guest = { kind: 'guest', hasPublicKey: false } as const

/** Counts a GET by the user of the session, else by the network, and refuses one too many. */
export async function checkPageRate(app: App, site: Site, request: FastifyRequest): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const session = await sessionOf(app, site, request)
  const caller = ratedCaller(session?.caller ?? guest, request.client.address)
  const { refusal } = takeRate(app, site, policyOf(request), caller)
  if (refusal) throw refusal
}

/** Searches: `/search`, a grid of its results, and lists of the dashboard with words. */
function policyOf({ url }: FastifyRequest): RatePolicy {
  const path = pathOf(url).replaceAll(/\/+/g, '/')
  const query = new URLSearchParams(url.split('?').slice(1).join('?'))
  const isSearch =
    /^\/search\/?$/.test(path) ||
    (path.startsWith('/-/files/') && query.get('in')?.startsWith('search:') === true) ||
    (path.startsWith('/dashboard') && (query.get('q') ?? '') !== '')
  return isSearch ? 'search' : 'reads'
}
