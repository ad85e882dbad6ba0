import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type AlbumLock, isPassOf, passSeconds, writePass } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'

/** Every server of the installation has the same secret, so that a pass of one is good at all. */
const keyOf = (app: App, site: Site) =>
  createHmac('sha256', app.requestSecret).update(`album passes of site ${site.number}`).digest()

const nameOf = ({ albumId }: AlbumLock) => `terrace-album-${albumId}`

/** A neighbour under the same domain may set cookies of this name too, hence any of them will do. */
export function hasPass(
  app: App,
  site: Site,
  { request, lock }: { request: FastifyRequest; lock: AlbumLock },
): boolean {
  const start = `${nameOf(lock)}=`
  const passes = (request.headers.cookie ?? '')
    .split(/; */)
    .filter((cookie) => cookie.startsWith(start))
    .map((cookie) => cookie.slice(start.length))
  const now = site.clock.now()
  return passes.some((pass) => isPassOf(keyOf(app, site), lock, { pass, now }))
}

export function passCookie(app: App, site: Site, lock: AlbumLock): string {
  const pass = writePass(keyOf(app, site), lock, site.clock.now())
  const secure = app.config.publicScheme === 'https' ? '; Secure' : ''
  return `${nameOf(lock)}=${pass}; Path=/; Max-Age=${passSeconds}; HttpOnly; SameSite=Lax${secure}`
}
