import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { cookieName, cookieValues, isHttps } from '../../http/session/session-cookie.ts'
import { siteKey } from '../../http/site-key.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  accessOf,
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
import type { Reader } from '../reader.ts'

/** A visitor's request for the page of a share. */
export interface ShareRequest {
  app: App
  site: Site
  request: FastifyRequest
  reply: FastifyReply
  reader: Reader
}

/** A refusal is shown in the frame of the site too. */
export async function shareRequestOf(
  app: App,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ShareRequest> {
  hideAddress(reply)
  const { reader } = await pageReader(app, site, request)
  // Its pages send no referrer, by which the path of a form is known elsewhere.
  request.reader = { ...reader, path: request.url.replace(/\/files$/, '') }
  return { app, site, request, reply, reader: request.reader }
}

const nameOf = ({ app, request }: ShareRequest, { id }: Share) =>
  cookieName(app, request, `terrace-share-${id}`)

/** What the visitor has opened before, by the pass in the cookie; undefined without a valid one. */
export async function openedBefore(
  shareRequest: ShareRequest,
  share: Share,
): Promise<OpenedShare | undefined> {
  const { app, site, request } = shareRequest
  for (const pass of cookieValues(request, nameOf(shareRequest, share), /./)) {
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
  shareRequest: ShareRequest,
  { token, password }: { token: string; password?: string },
): Promise<OpenedShare> {
  const { app, site, request, reply } = shareRequest
  const found = await shareForVisitor(site, { token, password, address: request.client.address })
  const share = await changeSite(app.control, site, (changing) => takeView(changing, found))
  const { pass, endsAt } = writePass(siteKey(app, site, 'share passes'), share, site.clock.now())
  // Browsers take a name with the prefix `__Host-` for the whole host alone.
  const place = isHttps(app, request) ? 'Path=/; Secure' : 'Path=/share/'
  reply.header(
    'set-cookie',
    `${nameOf(shareRequest, share)}=${pass}; ${place}; Max-Age=${passSeconds}; HttpOnly; SameSite=Lax`,
  )
  return { share, endsAt }
}

/** The visitor with what the share shows. */
export const callerOf = (opened: OpenedShare): Caller => ({
  kind: 'guest',
  hasPublicKey: false,
  share: accessOf(opened),
})

/** The address is a secret: it must not be indexed, cached, or sent as a referrer, even if it is refused. */
const hideAddress = (reply: FastifyReply) =>
  reply
    .header('x-robots-tag', 'noindex')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'private, no-store')
