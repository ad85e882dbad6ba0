import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { cookieName, cookieValues, isHttps } from '../../http/session/session-cookie.ts'
import { siteKey } from '../../http/site-key.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  type OpenedShare,
  passSeconds,
  type Share,
  shareForVisitor,
  shareOfPass,
  takeView,
  writePass,
} from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { pageReader } from '../guard.ts'
import type { PageCall } from '../page-call.ts'

/** What a visitor has opened, and by which request. */
export interface ShareRequest {
  opened: OpenedShare
  caller: Caller
  token: string
  /** Has a pass, which a look that is no view has not. */
  isIn: boolean
}

/** The request of a visitor. A session in the same browser gives it no rights here. A refusal is shown in the frame of the site too. */
export async function shareCallOf(
  app: App,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PageCall> {
  hideAddress(reply)
  const { reader } = await pageReader(app, site, request)
  const params = request.params as Record<string, string>
  const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  // Without the path of a form, which takes no GET.
  request.reader = { ...reader, path: pathOf(params) + (query.size > 0 ? `?${query}` : '') }
  const form = new URLSearchParams()
  return { app, site, request, reply, reader: request.reader, session: undefined, params, query, form }
}

const pathOf = ({ token = '', id }: Readonly<Record<string, string>>): string =>
  ['/share', token, ...(id === undefined ? [] : [id])].map(encodeURI).join('/')

const nameOf = ({ id }: Share) => `terrace-share-${id}`

/** What the visitor has opened before, by the pass in the cookie; undefined without a valid one. */
export async function openedBefore(call: PageCall, share: Share): Promise<OpenedShare | undefined> {
  const { app, site, request } = call
  for (const pass of cookieValues(request, cookieName(app, request, nameOf(share)), /./)) {
    const opened = await openedBy(site, siteKey(app, site, 'share passes'), pass)
    if (opened?.share.id === share.id) return opened
  }
  return undefined
}

async function openedBy(site: Site, key: Buffer, pass: string): Promise<OpenedShare | undefined> {
  try {
    return await shareOfPass(site, key, pass)
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'unauthenticated') return undefined
    throw error
  }
}

/** Uses a view and sets the pass as a cookie for an hour. */
export async function openNow(
  call: PageCall,
  { token, password }: { token: string; password?: string },
): Promise<OpenedShare> {
  const { app, site, request } = call
  const found = await shareForVisitor(site, { token, password, address: request.client.address })
  const share = await changeSite(app.control, site, (changing) => takeView(changing, found))
  const { pass, endsAt } = writePass(siteKey(app, site, 'share passes'), share, site.clock.now())
  setShareCookie(call, nameOf(share), pass)
  return { share, endsAt }
}

/** Keeps something for the pages of shares, as long as a pass. */
export function setShareCookie({ app, request, reply }: PageCall, name: string, value: string): void {
  // Browsers take a name with the prefix `__Host-` for the whole host alone.
  const place = isHttps(app, request) ? 'Path=/; Secure' : 'Path=/share/'
  const kept = `${cookieName(app, request, name)}=${value}`
  reply.header('set-cookie', `${kept}; ${place}; Max-Age=${passSeconds}; HttpOnly; SameSite=Lax`)
}

/**
 * The address is a secret: it must not be indexed, cached, or sent to other sites as a referrer, even if it is refused. With
 * `no-referrer` browsers would send `Origin: null` with the forms of the page, and on plain http nothing else proves them.
 */
const hideAddress = (reply: FastifyReply) =>
  reply
    .header('x-robots-tag', 'noindex')
    .header('referrer-policy', 'same-origin')
    .header('cache-control', 'private, no-store')
