import type { FastifyRequest } from 'fastify'
import { type CreatedSession, longestMs } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import type { Site } from '../../../site/index.ts'
import { publicUrl, schemeOf } from '../../requests/public-url.ts'

export const isHttps = (app: App, request: FastifyRequest) =>
  schemeOf(app.config, request.client.scheme) === 'https'

/** Browsers accept the prefix `__Host-` only from the host itself, so that a sibling site cannot plant a cookie. */
const nameOf = (app: App, request: FastifyRequest, name = 'terrace-session') =>
  isHttps(app, request) ? `__Host-${name}` : name

const mostTokens = 4

/** The tokens of the session cookie. Without https a sibling site may set a cookie of this name too, so there may be several. */
export const sessionTokens = (app: App, request: FastifyRequest): readonly string[] =>
  cookieValues(request, nameOf(app, request))
    .filter((token) => /^[A-Za-z0-9]{20,100}$/.test(token))
    .slice(0, mostTokens)

function cookieValues({ headers }: FastifyRequest, name: string): readonly string[] {
  const start = `${name}=`
  return (headers.cookie ?? '')
    .split(/; */)
    .filter((cookie) => cookie.startsWith(start))
    .map((cookie) => cookie.slice(start.length))
}

/** A short-lived cookie that carries a log-in from one page to the next; its value is sealed. */
export type StepCookie = 'terrace-login' | 'terrace-connect' | 'terrace-account'

export const stepCookie = (
  app: App,
  request: FastifyRequest,
  { name, value, seconds }: { name: StepCookie; value: string; seconds: number },
): string => `${nameOf(app, request, name)}=${value}; Max-Age=${seconds}${attributes(app, request)}`

export const endedStepCookie = (app: App, request: FastifyRequest, name: StepCookie): string =>
  stepCookie(app, request, { name, value: '', seconds: 0 })

/** Undefined if there is none, or it is longer than what we set. */
export const stepCookieValue = (app: App, request: FastifyRequest, name: StepCookie): string | undefined =>
  cookieValues(request, nameOf(app, request, name)).find((value) => /^[\w-]{1,3000}$/.test(value))

export function sessionCookie(app: App, request: FastifyRequest, { token, session }: CreatedSession): string {
  // The row ends the session; the browser must not forget it before.
  const age = session.isLasting ? `; Max-Age=${longestMs / 1_000}` : ''
  return `${nameOf(app, request)}=${token}${age}${attributes(app, request)}`
}

export const endedCookie = (app: App, request: FastifyRequest): string =>
  `${nameOf(app, request)}=; Max-Age=0${attributes(app, request)}`

const attributes = (app: App, request: FastifyRequest) =>
  `; Path=/; HttpOnly; SameSite=Lax${isHttps(app, request) ? '; Secure' : ''}`

/**
 * Whether a page of the site itself sends the request: a page elsewhere must not act with the cookie of its visitor.
 * Browsers send neither header with a GET on plain http; there our own header counts, which no other origin may send.
 */
export function isSameOrigin(app: App, site: Site, request: FastifyRequest): boolean {
  const { headers } = request
  const fetchSite = headers['sec-fetch-site']
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  if (headers.origin !== undefined) return headers.origin === originOf(app, site, request)
  return !isHttps(app, request) && headers['x-terrace-page'] === '1'
}

/** The origin of the site's own pages, as browsers name it. */
export const originOf = (app: App, site: Site, { client }: FastifyRequest): string =>
  new URL(publicUrl(app.config, site.hostname, client.scheme)).origin
