import type { FastifyRequest } from 'fastify'
import { type Actor, type Caller, checkStillKnown, type KeySender } from '../../accounts/index.ts'
import { type Author, authoredBy, type Site } from '../../site/index.ts'

/** Where a request comes from, for keys that allow only some origins or addresses. */
export const senderOf = (request: FastifyRequest): KeySender => ({
  origin: request.headers.origin,
  address: request.client.address,
})

/** The site, changed in the name of the caller of a request for as long as the caller keeps the rights. */
export const onBehalfOf = (
  site: Site,
  { client }: FastifyRequest,
  caller: Actor | Caller | undefined,
): Site => ({
  ...authoredBy(site, { ...authorOf(caller), address: client.address }),
  checkAuthor: caller && ((db) => checkStillKnown(db, caller, site.clock.now())),
})

/** The caller, unless it is a guest. */
export const memberOf = <T extends Actor | Caller>(caller: T | undefined): T | undefined =>
  caller?.kind === 'user' ? caller : undefined

function authorOf(caller: Actor | Caller | undefined): Author {
  if (caller?.kind !== 'user')
    return { kind: caller && 'share' in caller && caller.share ? 'share' : 'guest' }
  const { userId, keyId } = caller
  return keyId === undefined ? { kind: 'user', userId } : { kind: 'key', userId, keyId }
}
