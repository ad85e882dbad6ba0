import type { FastifyRequest } from 'fastify'
import {
  type Actor,
  type Caller,
  checkStillKnown,
  isUseUnrecorded,
  type KeySender,
  recordUse,
} from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type Author, authoredBy, recordEvent, type Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { trackWork } from '../connection/running-work.ts'
import { responseOfRefusal } from '../responses/errors.ts'
import { siteOfHost } from '../site-route.ts'

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

const longestTarget = 200

/**
 * Records in the audit log that a call of a user or key was refused with 403. The caller gets that refusal, whether or not the
 * row can be written.
 */
export async function recordRefusal(app: App, request: FastifyRequest, error: unknown): Promise<void> {
  const { member } = request
  if (!member || !(error instanceof Refusal) || responseOfRefusal(error).status !== 403) return
  try {
    await using site = await siteOfHost(app, request)
    const target = `${request.method} ${pathFor(request)}`.slice(0, longestTarget)
    const event = { verb: 'call.refused', target, after: { code: error.code } } as const
    await recordEvent(onBehalfOf(site, request, member), event)
  } catch (fault) {
    app.log.warn({ error: String(fault) }, 'A refused call could not be recorded')
  }
}

/** Without the query, and without the token of a link, which is a secret. Escapes stay: PostgreSQL stores no NUL. */
function pathFor({ url, params, routeOptions }: FastifyRequest): string {
  const hasToken = Object.hasOwn((params ?? {}) as object, 'token')
  if (hasToken) return (routeOptions.url ?? '/').replaceAll(/:(\w+)/g, '{$1}')
  return url.split(/[?#]/, 1).join()
}

/** Keys and sessions whose use is being recorded: a burst of requests writes once. */
const recording = new WeakMap<App, Set<string>>()

/** Records the use of a key or session, at most once a minute, beside the call, which does not wait for it. */
export function recordUseSoon(app: App, request: FastifyRequest, actor: Actor): void {
  if (actor.kind === 'guest' || !isUseUnrecorded(actor, app.control.clock.now())) return
  const running = recording.get(app) ?? new Set()
  recording.set(app, running)
  const id = `${request.client.hostname} ${actor.keyId ?? actor.sessionId}`
  if (running.has(id)) return
  running.add(id)
  const written = writeUse(app, request, actor)
    .catch((error: unknown) =>
      app.log.warn({ error: String(error) }, 'The use of a key could not be recorded'),
    )
    .finally(() => running.delete(id))
  void trackWork(app, written)
}

/** Opens the site again: the call may end, and give its site back, before this does. */
async function writeUse(app: App, request: FastifyRequest, actor: Actor): Promise<void> {
  await using site = await siteOfHost(app, request)
  await changeSite(app.control, site, (changing) => recordUse(changing, actor, request.client.address))
}
