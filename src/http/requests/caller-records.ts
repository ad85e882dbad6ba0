import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { Refusal } from '../../lib/refusal.ts'
import { recordEvent } from '../../site/index.ts'
import { responseOfRefusal } from '../responses/errors.ts'
import { onBehalfOf } from './sender.ts'
import { siteOfHost } from './site-of-host.ts'

const longest = 200

/**
 * Records in the audit log that a call of a user or key was refused with 403. The caller gets that refusal, whether or not the
 * row can be written.
 */
export async function recordRefusal(app: App, request: FastifyRequest, error: unknown): Promise<void> {
  const { member } = request
  if (!member || !(error instanceof Refusal) || responseOfRefusal(error).status !== 403) return
  try {
    await using site = await siteOfHost(app, request)
    const target = `${request.method} ${pathFor(request)}`.slice(0, longest)
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
