import { Type } from 'typebox'
import { normaliseHostname } from '../lib/hosts.ts'
import { mayHaveCertificate } from '../tenants/index.ts'
import type { Endpoint } from './endpoint.ts'
import { notLocal, orCannotRead, unknownHost } from './errors.ts'
import { refused } from './refused.ts'
import { storeAway } from './tenants-v4/answers.ts'

export const getTlsAsk: Endpoint = {
  tag: 'Proxy',
  summary: 'Tell whether a certificate may be asked for a name',
  description: 'What Caddy’s on-demand TLS asks before it orders a certificate.',
  access: 'local',
  query: Type.Object({ domain: Type.String({ description: 'The name that a certificate is wanted for' }) }),
  answers: {
    200: {
      description: 'An enabled tenant has this hostname.',
      schema: Type.Object({ hostname: Type.String({ description: 'The name as the tenant has it' }) }),
      example: { hostname: 'cats.example.com' },
    },
    403: refused('Not asked from the machine itself.', notLocal()),
    404: refused(
      'No enabled tenant has it, or not asked on the internal port, where one is set.',
      unknownHost(),
    ),
    503: storeAway,
  },
  handle: (app) => async (request, reply) => {
    const { domain } = request.query as { domain?: unknown }
    const hostname = typeof domain === 'string' ? normaliseHostname(domain) : undefined
    if (hostname === undefined) throw unknownHost()
    if (!(await orCannotRead(mayHaveCertificate(app.control, hostname)))) throw unknownHost()
    return reply.send({ hostname })
  },
}
