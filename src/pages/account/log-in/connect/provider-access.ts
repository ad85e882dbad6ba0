import type { ProviderAccess } from '../../../../accounts/index.ts'
import { routeNotFound } from '../../../../http/responses/errors.ts'
import { originOf } from '../../../../http/session/session-cookie.ts'
import { siteKey } from '../../../../http/site-key.ts'
import { guardedFetch } from '../../../../lib/net/guarded-fetch.ts'
import { parseUrlAllow } from '../../../../lib/net/url-allow.ts'
import type { PageCall } from '../../../page-call.ts'

/** Calls to providers go through the URL guard: administrators of sites name them, not the operator. */
export function providerAccess({ app, site }: PageCall): ProviderAccess {
  const allow = site.values.get('SERVICE_LOGIN_PROVIDER_ALLOW') ?? ''
  const fetch = guardedFetch({
    allow: parseUrlAllow(allow),
    resolve: app.lookups.resolve,
    takeSlot: (waiting) => app.providerSlots.take(String(site.number), waiting),
  })
  const scope = `${site.number} ${allow}`
  return {
    key: siteKey(app, site, 'log-ins'),
    fetch,
    discovery: (isFresh) => app.providerDocuments.through(fetch, { scope, now: site.clock.now(), isFresh }),
  }
}

export function providerNameIn({ params: { provider = '' } }: PageCall): string {
  if (!/^[a-z0-9-]{1,32}$/.test(provider)) throw routeNotFound()
  return provider
}

/** Where the provider sends browsers back to; its administrator has to know the address. */
export const backAddress = ({ app, site, request }: PageCall, name: string): string =>
  `${originOf(app, site, request)}/connect/${name}/back`
