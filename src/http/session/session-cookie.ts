import type { FastifyRequest } from 'fastify'
import {
  type CreatedSession,
  type Device,
  deviceSeconds,
  longestMs,
  openDevice,
  sealDevice,
} from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Site } from '../../site/index.ts'
import { publicUrl, schemeOf } from '../addresses/public-url.ts'
import { siteKey } from '../site-key.ts'

export const isHttps = (app: App, request: FastifyRequest) =>
  schemeOf(app.config, request.client.scheme) === 'https'

/** Browsers accept the prefix `__Host-` only from the host itself, so that a sibling site cannot plant a cookie. */
export const cookieName = (app: App, request: FastifyRequest, name = 'terrace-session') =>
  isHttps(app, request) ? `__Host-${name}` : name

/** The tokens of the session cookie. */
export const sessionTokens = (app: App, request: FastifyRequest): readonly string[] =>
  cookieValues(request, cookieName(app, request), /^[A-Za-z0-9]{20,100}$/)

const mostValues = 64

const consoleName = 'terrace-console'

/** The tokens of the console's cookie. */
export const consoleTokens = (app: App, request: FastifyRequest): readonly string[] =>
  cookieValues(request, cookieName(app, request, consoleName), /^[A-Za-z0-9]{20,100}$/)

/** Without an age: it ends with the browser, and the row before that. */
export const consoleCookie = (app: App, request: FastifyRequest, token: string): string =>
  `${cookieName(app, request, consoleName)}=${token}${attributes(app, request, 'Strict')}`

export const endedConsoleCookie = (app: App, request: FastifyRequest): string =>
  `${cookieName(app, request, consoleName)}=; Max-Age=0${attributes(app, request, 'Strict')}`

/**
 * What the cookies of a name hold. Without https a sibling site may set cookies of this name too, with paths that browsers
 * send first, so there may be many.
 */
export function cookieValues({ headers }: FastifyRequest, name: string, form: RegExp): readonly string[] {
  const start = `${name}=`
  return (headers.cookie ?? '')
    .split(/; */)
    .filter((cookie) => cookie.startsWith(start))
    .map((cookie) => cookie.slice(start.length))
    .filter((value) => form.test(value))
    .slice(0, mostValues)
}

/** A short-lived cookie that carries a log-in from one page to the next; its value is sealed. */
export type StepCookie =
  | 'terrace-login'
  | 'terrace-connect'
  | 'terrace-account'
  | 'terrace-console-login'
  | 'terrace-console-form'

export const stepCookie = (
  app: App,
  request: FastifyRequest,
  { name, value, seconds }: { name: StepCookie; value: string; seconds: number },
): string => `${cookieName(app, request, name)}=${value}; Max-Age=${seconds}${attributes(app, request)}`

export const endedStepCookie = (app: App, request: FastifyRequest, name: StepCookie): string =>
  stepCookie(app, request, { name, value: '', seconds: 0 })

/** Opens the first cookie of a step that is ours. Refuses as `open` does if none is. */
export async function openStepCookie<Opened>(
  app: App,
  request: FastifyRequest,
  { name, open }: { name: StepCookie; open: (sealed: string) => Opened | Promise<Opened> },
): Promise<Opened> {
  const values = [...cookieValues(request, cookieName(app, request, name), sealedForm)]
  const last = values.pop() ?? ''
  for (const sealed of values) {
    try {
      return await open(sealed)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return open(last)
}

// No longer than what we set.
const sealedForm = /^[\w-]{1,3000}$/

export function sessionCookie(app: App, request: FastifyRequest, { token, session }: CreatedSession): string {
  // The row ends the session; the browser must not forget it before.
  const age = session.isLasting ? `; Max-Age=${longestMs / 1_000}` : ''
  return `${cookieName(app, request)}=${token}${age}${attributes(app, request)}`
}

/** The cookies of a log-in: its session, and the device, which stays known when the session has ended. */
export function logInCookies(
  app: App,
  site: Site,
  request: FastifyRequest,
  created: CreatedSession,
): string[] {
  const { userId } = created.session
  const known = devicesOf(app, site, request)
  const device = sealDevice(site, siteKey(app, site, 'devices'), { userId, known })
  const named = `${cookieName(app, request, deviceName)}=${device}; Max-Age=${deviceSeconds}`
  return [sessionCookie(app, request, created), `${named}${attributes(app, request)}`]
}

const deviceName = 'terrace-device'

/** The devices that the client's cookies name. */
export function devicesOf(app: App, site: Site, request: FastifyRequest): readonly Device[] {
  const key = siteKey(app, site, 'devices')
  return cookieValues(request, cookieName(app, request, deviceName), sealedForm).flatMap(
    (sealed) => openDevice(site, key, sealed) ?? [],
  )
}

export const endedCookie = (app: App, request: FastifyRequest): string =>
  `${cookieName(app, request)}=; Max-Age=0${attributes(app, request)}`

const attributes = (app: App, request: FastifyRequest, sameSite: 'Lax' | 'Strict' = 'Lax') =>
  `; Path=/; HttpOnly; SameSite=${sameSite}${isHttps(app, request) ? '; Secure' : ''}`

/** A site, or the console. */
interface Hosted {
  hostname: string
}

/**
 * Whether a page of the site itself sends the request: a page elsewhere must not act with the cookie of its visitor.
 * Browsers send neither header with a GET on plain http; there our own header counts, which no other origin may send.
 */
export function isSameOrigin(app: App, site: Hosted, request: FastifyRequest): boolean {
  const { headers } = request
  const fetchSite = headers['sec-fetch-site']
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  if (headers.origin !== undefined) return headers.origin === originOf(app, site, request)
  return !isHttps(app, request) && headers['x-terrace-page'] === '1'
}

/** The origin of the site's own pages, as browsers name it. */
export const originOf = (app: App, site: Hosted, { client }: FastifyRequest): string =>
  new URL(publicUrl(app.config, site.hostname, client.scheme)).origin
