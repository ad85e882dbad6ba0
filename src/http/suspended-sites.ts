import type { App } from '../app.ts'
import { Refusal } from '../lib/refusal.ts'
import {
  countQuotaRefusal,
  isTrafficUsedUp,
  type Site,
  secondsToNextMonth,
  suspendedBy,
} from '../site/index.ts'

/**
 * What stays open while a quota has suspended a site: its people log in, see what is used, take their files with them and
 * delete them. `bulk` refuses all other actions itself.
 */
const openAddresses: ReadonlySet<string> = new Set([
  'GET /login',
  'POST /login',
  'GET /login/code',
  'POST /login/code',
  'POST /login/passkey',
  'POST /-/passkeys/request',
  'GET /connect/{provider}',
  'POST /connect/{provider}',
  'GET /connect/{provider}/back',
  'POST /logout',
  'GET /settings/export',
  'POST /settings/export',
  'POST /api/5/sessions',
  'DELETE /api/5/sessions',
  'DELETE /api/5/sessions/{id}',
  'GET /api/5/me',
  'GET /api/5/me/usage',
  'GET /api/5/usage',
  'GET /api/5/quotas',
  'GET /api/5/files',
  'GET /api/5/files/{id}',
  'DELETE /api/5/files/{id}',
  'POST /api/5/files/bulk',
  'DELETE /api/5/albums/{id}',
  'DELETE /image/{id}/delete/{token}',
  'DELETE /video/{id}/delete/{token}',
])

export const isOpenWhenSuspended = ({ method, path }: { method: string; path: string }): boolean =>
  openAddresses.has(`${method} ${path}`)

/** Refuses a request while a quota has suspended the site. */
export function checkNotSuspended(site: Site): void {
  const name = suspendedBy(site)
  if (name !== undefined) throw siteSuspended(name)
}

export const siteSuspended = (name: string) =>
  new Refusal('forbidden', 'quota-reached', `This site is suspended: ${name} is reached.`, {
    reason: 'site-suspended',
    params: { name },
  })

/** Refuses bytes of files after the traffic of the month is used up. */
export function checkTrafficLeft({ control }: App, site: Site): void {
  if (!isTrafficUsedUp(site)) return
  const refusal = trafficUsedUp(site.clock.now())
  countQuotaRefusal(control.counters, refusal)
  throw refusal
}

/** The month's traffic is used up: only bytes are refused. */
export const trafficUsedUp = (now: Date) =>
  new Refusal('too-many', 'quota-reached', 'The traffic of this site for this month is used up.', {
    reason: 'traffic-used-up',
    params: { name: 'SERVICE_MAX_TRAFFIC' },
    retryAfterSeconds: secondsToNextMonth(now),
  })
