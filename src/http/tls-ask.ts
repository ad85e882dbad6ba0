import { normaliseHostname } from '../lib/hosts.ts'
import { mayHaveCertificate } from '../tenants/index.ts'
import type { Endpoint } from './endpoint.ts'
import { unknownHost } from './errors.ts'

export const getTlsAsk: Endpoint = {
  summary: 'Tell whether a certificate may be asked for a name',
  description: 'For Caddy’s on-demand TLS: `?domain=NAME`. Answered on the machine itself only; no key.',
  access: 'local',
  answers: {
    200: { description: 'An enabled tenant has this hostname.' },
    403: { description: 'Not asked from the machine itself.' },
    404: { description: 'No enabled tenant has it.' },
  },
  handle: (app) => async (request, reply) => {
    const { domain } = request.query as { domain?: unknown }
    const hostname = typeof domain === 'string' ? normaliseHostname(domain) : undefined
    if (hostname === undefined || !(await mayHaveCertificate(app.control, hostname))) throw unknownHost()
    return reply.send({ hostname })
  },
}
