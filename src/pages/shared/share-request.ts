import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { cookieName, cookieValues, isHttps } from '../../http/session/session-cookie.ts'
import { siteKey } from '../../http/site-key.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  accessOf,
  isUsedUp,
  type OpenedShare,
  passSeconds,
  type Share,
  shareEnded,
  shareForVisitor,
  shareOfPass,
  takeView,
  writePass,
} from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'

/** A visitor's request for the page of a share. */
export interface ShareRequest {
  app: App
  site: Site
  request: FastifyRequest
  reply: FastifyReply
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

/** A share without views left is over for visitors who are not in yet. */
export function checkViewsLeft(share: Share): void {
  if (isUsedUp(share)) throw shareEnded()
}

/** The visitor with what the share shows. */
export const callerOf = (opened: OpenedShare): Caller => ({
  kind: 'guest',
  hasPublicKey: false,
  share: accessOf(opened),
})

/** The address is a secret: it must not be indexed, cached, or sent as a referrer, even if it is refused. */
export const hideAddress = (reply: FastifyReply) =>
  reply
    .header('x-robots-tag', 'noindex')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'private, no-store')
