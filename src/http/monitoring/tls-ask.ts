import { Type } from 'typebox'
import { normaliseHostname } from '../../lib/net/hosts.ts'
import { mayHaveCertificate } from '../../tenants/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { refused, storeUnavailableResponse } from '../openapi/described-refusal.ts'
import { notLocal, orCannotRead, unknownHost } from '../responses/errors.ts'

export const getTlsAsk: Endpoint = {
  tag: 'Proxy',
  summary: 'Check whether a certificate may be ordered for a hostname',
  description: 'Caddy’s on-demand TLS asks this before it orders a certificate.',
  access: 'local',
  query: Type.Object({
    domain: Type.String({ maxLength: 253, description: 'The hostname of the certificate' }),
  }),
  responses: {
    200: {
      description: 'An enabled tenant has this hostname, or the console.',
      schema: Type.Object({ hostname: Type.String({ description: 'The hostname that was asked for' }) }),
      example: { hostname: 'cats.example.com' },
    },
    403: refused('Not called from the machine itself.', notLocal()),
    404: refused(
      'Neither an enabled tenant nor the console has this hostname, or not called on the internal port, if one is set.',
      unknownHost(),
    ),
    503: storeUnavailableResponse,
  },
  handle: (app) => async (request, reply) => {
    const { domain } = request.query as { domain?: unknown }
    const hostname = typeof domain === 'string' ? normaliseHostname(domain) : undefined
    if (hostname === undefined) throw unknownHost()
    if (!(await orCannotRead(mayHaveCertificate(app.control, app.config.routing, hostname))))
      throw unknownHost()
    return reply.send({ hostname })
  },
}
