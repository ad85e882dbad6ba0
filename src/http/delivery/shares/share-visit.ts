import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import { Refusal } from '../../../lib/refusal.ts'
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
} from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { cookieValues } from '../../media-v5/rules/session-cookie.ts'
import { siteKey } from '../../media-v5/rules/site-key.ts'
import { schemeOf } from '../../requests/public-url.ts'

/** A visitor's request for the page of a share. */
export interface Visit {
  app: App
  site: Site
  request: FastifyRequest
  reply: FastifyReply
}

const nameOf = ({ id }: Share) => `terrace-share-${id}`

/** What the visitor has opened before, by the pass in the cookie; undefined without a valid one. */
export async function openedBefore(
  { app, site, request }: Visit,
  share: Share,
): Promise<OpenedShare | undefined> {
  for (const pass of cookieValues(request, nameOf(share), /./)) {
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
  { app, site, request, reply }: Visit,
  { token, password }: { token: string; password?: string },
): Promise<OpenedShare> {
  const found = await shareForVisitor(site, { token, password, address: request.client.address })
  const share = await changeSite(app.control, site, (changing) => takeView(changing, found))
  const { pass, endsAt } = writePass(siteKey(app, site, 'share passes'), share, site.clock.now())
  const secure = schemeOf(app.config, request.client.scheme) === 'https' ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${nameOf(share)}=${pass}; Path=/share/; Max-Age=${passSeconds}; HttpOnly; SameSite=Lax${secure}`,
  )
  return { share, endsAt }
}

/** A share without views left is over for visitors who are not in yet. */
export function checkViewsLeft(share: Share): void {
  if (isUsedUp(share)) throw shareEnded()
}

/** The visitor with what the share shows. */
export const callerOf = (opened: OpenedShare): Caller => ({
  ...{ kind: 'guest', hasPublicKey: false },
  share: accessOf(opened),
})

/** The address is a secret: it must not be indexed, cached, or sent as a referrer, even if it is refused. */
export const hideAddress = (reply: FastifyReply) =>
  reply
    .header('x-robots-tag', 'noindex')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'private, no-store')
