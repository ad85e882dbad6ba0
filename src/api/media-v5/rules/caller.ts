import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  boundToAlbum,
  type Caller,
  callerOfKey,
  callerOfSession,
  hasAbility,
  isRight,
  mayDo,
  notAdministrator,
  type Right,
  scopeMissing,
  unauthenticated,
} from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import type { MediaAccess } from '../../../http/endpoint.ts'
import { orCannotRead } from '../../../http/responses/errors.ts'
import { isSameOrigin, sessionTokens } from '../../../http/session/session-cookie.ts'
import { siteKey } from '../../../http/site-key.ts'
import { accessOf, shareOfPass } from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'

const visitor: Caller = { kind: 'guest', hasPublicKey: false }

/** The caller, with what the pass in `X-Share` opens beyond the caller's own rights. */
export async function findCaller(app: App, site: Site, request: FastifyRequest): Promise<Caller> {
  const caller = await findOwnCaller(app, site, request)
  const pass = request.headers['x-share']
  if (pass === undefined) return caller
  const opened = await orCannotRead(shareOfPass(site, siteKey(app, site, 'share passes'), String(pass)))
  return { ...caller, share: accessOf(opened) }
}

/** By key, else by session, else a visitor. A key that is not valid is refused, whatever the cookie. */
async function findOwnCaller(app: App, site: Site, request: FastifyRequest): Promise<Caller> {
  const key = keyOf(request)
  if (key !== undefined) return orCannotRead(callerOfKey(site, key))
  if (!isSameOrigin(app, site, request)) return visitor
  return (await orCannotRead(callerOfSession(site, sessionTokens(app, request)))) ?? visitor
}

/** An empty Bearer token is a wrong key; another scheme belongs to a proxy in front of us. */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const { authorization = '' } = headers
  const key = String(headers['x-api-key'] ?? '')
  if (key !== '') return key
  return /^Bearer(?:\s|$)/i.test(authorization) ? authorization.slice('Bearer'.length).trim() : undefined
}

const abilityOf = {
  upload: 'upload',
  read: 'read',
  write: 'write',
  admin: 'admin',
  'visitor-read': 'read',
  'account-read': 'read',
  'account-write': 'write',
  'guest-upload': 'upload',
  'guest-or-share-upload': 'upload',
} satisfies Record<Exclude<MediaAccess, 'visitor' | Right>, Parameters<typeof hasAbility>[1]>

/** Calls about the account or, by a right, about the whole site. */
const isForAlbumKeys = (access: MediaAccess): boolean =>
  access !== 'account-read' && access !== 'account-write' && !isRight(access)

const guestUploads: ReadonlySet<MediaAccess> = new Set(['guest-upload', 'guest-or-share-upload'] as const)

/** Refuses a caller who may not make this call. */
export function checkAccess(access: MediaAccess, caller: Caller): void {
  if (access === 'visitor' || (access === 'visitor-read' && caller.kind === 'guest')) return
  if (access === 'guest-or-share-upload' && caller.share) return
  if (guestUploads.has(access) && caller.kind === 'guest' && caller.hasPublicKey) return
  if (caller.kind === 'guest') throw unauthenticated()
  const ability = isRight(access) ? 'admin' : abilityOf[access]
  if (!hasAbility(caller.scope, ability)) throw scopeMissing(ability)
  if (!isForAlbumKeys(access) && caller.albumId !== undefined) throw boundToAlbum()
  if (isRight(access) && !mayDo(caller.role, access)) throw notAdministrator()
}

/** A key with origins is answered to them alone; until it is known to be one, every origin may read the refusal. */
export function allowOrigin(
  reply: FastifyReply,
  { headers: { origin } }: FastifyRequest,
  caller: Caller,
): void {
  if (caller.kind === 'guest' || caller.limits.allowedOrigins.length === 0) return
  reply.header('vary', 'Origin')
  if (origin !== undefined && caller.limits.allowedOrigins.includes(origin))
    reply.header('access-control-allow-origin', origin)
}
