import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { badKey, verifyKey } from '../control/index.ts'
import type { Access, Endpoint } from './endpoint.ts'
import { addressNotAllowed, notLocal, routeNotFound } from './errors.ts'
import { isOnInternalListener } from './listeners.ts'
import { parseBody, readBody } from './tenants-v4/body.ts'
import { bodyCheckOf } from './tenants-v4/body-check.ts'
import { checkSignature } from './tenants-v4/signature.ts'
import { NoBody } from './tenants-v4/wire.ts'

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** What stands before an endpoint, in the order in which it is asked. */
export function gatesOf(app: App, endpoint: Endpoint): Gate[] {
  const requireKey: Gate = async (request) => {
    const key = request.headers['x-api-key']
    if (typeof key !== 'string') throw badKey()
    await verifyKey(app.control, key)
  }
  const gates: Record<Access, Gate[]> = {
    open: [],
    local: [requireLocal(app)],
    'local-key': [requireLocal(app), requireKey],
    'local-or-key': [async (request, reply) => (isLocal(app, request) ? undefined : requireKey(request, reply))],
    signed: [requireKey, requireSignature(app, endpoint)],
  }
  return gates[endpoint.access]
}

/** Before the router's own word, so that an address that is not allowed learns nothing of our routes. */
export function checkAllowList(app: App, request: FastifyRequest): void {
  const { apiAllowList } = app.config
  if (!apiAllowList.isEmpty && !apiAllowList.has(request.visitor.address)) throw addressNotAllowed()
}

function requireLocal(app: App): Gate {
  return async (request) => {
    if (app.config.internalPort !== undefined && !isOnInternalListener(app, request)) throw routeNotFound()
    if (!request.visitor.isLocal) throw notLocal()
  }
}

const isLocal = (app: App, request: FastifyRequest) =>
  request.visitor.isLocal && (app.config.internalPort === undefined || isOnInternalListener(app, request))

function requireSignature(app: App, endpoint: Endpoint): Gate {
  const check = bodyCheckOf(endpoint.body ?? NoBody)
  return async (request) => {
    const bytes = await readBody(request.raw)
    await checkSignature(app, request.raw, bytes)
    request.checkedBody = parseBody(request.raw, bytes, check)
  }
}
