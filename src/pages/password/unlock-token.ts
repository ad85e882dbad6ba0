import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { cookieName, cookieValues, isHttps } from '../../http/session/session-cookie.ts'
import { isUnlockTokenOf, type PasswordAlbum, unlockSeconds, writeUnlockToken } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'

/** All servers of the installation share the secret, so that each accepts the tokens of the others. */
const keyOf = (app: App, site: Site) =>
  createHmac('sha256', app.requestSecret).update(`album passes of site ${site.number}`).digest()

const nameOf = (app: App, request: FastifyRequest, { albumId }: PasswordAlbum) =>
  cookieName(app, request, `terrace-album-${albumId}`)

/** On plain http another site under the same parent domain may set a cookie of this name too, so any valid one counts. */
export function hasUnlockToken(
  app: App,
  site: Site,
  { request, lock }: { request: FastifyRequest; lock: PasswordAlbum },
): boolean {
  const tokens = cookieValues(request, nameOf(app, request, lock), /./)
  const now = site.clock.now()
  return tokens.some((token) => isUnlockTokenOf(keyOf(app, site), lock, { token, now }))
}

export function unlockCookie(
  app: App,
  site: Site,
  { request, lock }: { request: FastifyRequest; lock: PasswordAlbum },
): string {
  const token = writeUnlockToken(keyOf(app, site), lock, site.clock.now())
  const secure = isHttps(app, request) ? '; Secure' : ''
  return `${nameOf(app, request, lock)}=${token}; Path=/; Max-Age=${unlockSeconds}; HttpOnly; SameSite=Lax${secure}`
}
