import type { FastifyRequest } from 'fastify'
import { type Actor, isUseUnrecorded, recordUse } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { changeSite } from '../../tenants/index.ts'
import { trackWork } from '../connection/running-work.ts'
import { siteOfHost } from './site-of-host.ts'

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
