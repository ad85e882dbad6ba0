import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { verifyKey } from '../control/index.ts'
import type { Access, Endpoint } from './endpoint.ts'
import { addressNotAllowed, notLocal, orCannotRead, routeNotFound } from './errors.ts'
import { isOnInternalListener } from './listeners.ts'
import { parseBody, readBody } from './tenants-v4/body.ts'
import { bodyCheckOf } from './tenants-v4/body-check.ts'
import { signatureCheck } from './tenants-v4/signature.ts'
import { NoBody } from './tenants-v4/wire.ts'

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** What stands before an endpoint, in the order in which it is asked. */
export function gatesOf(app: App, endpoint: Endpoint): Gate[] {
  const requireKey: Gate = async (request) => {
    // No key is held against the keys like any other, so that it takes no other time.
    request.controlKey = await orCannotRead(
      verifyKey(app.control, String(request.headers['x-api-key'] ?? '')),
    )
  }
  const gates: Record<Access, Gate[]> = {
    open: [],
    local: [requireLocal(app)],
    'local-key': [requireLocal(app), requireKey],
    'local-or-key': [
      async (request, reply) => (isLocal(app, request) ? undefined : requireKey(request, reply)),
    ],
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
  const check = bodyCheckOf(endpoint.body ?? NoBody, endpoint.bodyFaults)
  const checkSignature = signatureCheck(app)
  return async (request) => {
    const bytes = await readBody(request.raw)
    await checkSignature(request.raw, bytes)
    request.checkedBody = parseBody(request.raw, bytes, check)
  }
}
