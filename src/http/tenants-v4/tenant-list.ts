import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { listTenants } from '../../tenants/index.ts'
import { keptBytes } from './kept-bytes.ts'
import { writeTenant } from './wire.ts'

export function sendTenantList(app: App) {
  const bytes = keptBytes(app.control.store.toldVersion, () => tenantList(app))
  return async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(await bytes())
}

async function* tenantList(app: App): AsyncGenerator<string> {
  yield '['
  let separator = ''
  for await (const page of listTenants(app.control)) {
    if (page.length === 0) break
    yield separator + JSON.stringify(page.map(writeTenant)).slice(1, -1)
    separator = ','
  }
  yield ']'
}
