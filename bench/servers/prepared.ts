/** The whole service, and behind the same door, with the same checks and headers, a call that sends bytes that lie ready. */
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createKey } from '../../src/control/index.ts'
import { doors } from '../../src/doors.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { guardsOf } from '../../src/http/requests/guards.ts'
import { addressOf, type Doors, listen } from '../../src/http/server.ts'
import { answerParent } from './child.ts'

const prepared = new Map<string, Buffer>()

/** Each page has its own, as those of a list: bytes that were just sent would be in the cache of the processor. */
function bytesOf(name: string, size: number): Buffer {
  const bytes = prepared.get(name) ?? Buffer.alloc(size, 'x')
  prepared.set(name, bytes)
  return bytes
}

const getPrepared: Endpoint = {
  tag: 'Tenants',
  summary: 'Send as many bytes as are asked for',
  access: 'signed',
  responses: {},
  handle: () => async (request, reply) => {
    const { size, page } = request.query as { size: string; page?: string }
    const bytes = bytesOf(`${size} ${page}`, Number(size))
    return reply.header('content-type', 'application/json; charset=utf-8').send(bytes)
  },
}

const withPrepared: Doors = {
  ...doors,
  addRoutes(app, server) {
    doors.addRoutes(app, server)
    const address = addressOf({ method: 'GET', path: '/_/api/4/prepared' })
    server.route({
      ...address,
      preValidation: guardsOf(app, getPrepared),
      handler: getPrepared.handle(app),
    })
  },
}

const environment = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const app = await openApp(readConfig(environment, '/'))
const { port } = await listen(app, withPrepared)
const { key } = await createKey(app.control, {})
answerParent({ port, credentials: { key, secret: app.requestSecret } })
