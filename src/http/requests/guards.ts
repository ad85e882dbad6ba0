import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { actingAs, type ControlAuthor, verifyKey } from '../../control/index.ts'
import type { AddressList } from '../../lib/net/addresses.ts'
import type { Access, Endpoint } from '../endpoint.ts'
import { addressNotAllowed, notLocal, orCannotRead, routeNotFound } from '../responses/errors.ts'
import { parseBody, readBody } from '../signed/body.ts'
import { bodyCheckOf } from '../signed/body-check.ts'
import { signatureCheck } from '../signed/signature.ts'

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** The checks before an endpoint's handler, in their order. */
export function guardsOf(app: App, endpoint: Endpoint): Guard[] {
  const requireKey: Guard = async (request) => {
    // A missing key is verified like any other, so that both take the same time.
    request.controlKey = await orCannotRead(
      verifyKey(app.control, String(request.headers['x-api-key'] ?? '')),
    )
    request.control = actingAs(app.control, authorOf(request))
  }
  const guards: Record<Access, Guard[]> = {
    open: [],
    local: [requireLocal(app)],
    'local-key': [requireLocal(app), requireKey],
    'local-or-key': [
      async (request, reply) => (isLocal(app, request) ? undefined : requireKey(request, reply)),
    ],
    signed: [requireKey, requireSignature(app, endpoint)],
  }
  return guards[endpoint.access]
}

const authorOf = ({
  controlKey: { id, name },
  client,
  headers,
  requestId,
}: FastifyRequest): ControlAuthor => ({
  kind: 'key',
  id: String(id),
  name,
  address: client.address,
  userAgent: headers['user-agent'],
  requestId,
})

/** Runs before the router, so that an address that is not allowed learns nothing about our routes. */
export function checkAllowList(list: AddressList, { client }: FastifyRequest): void {
  if (list.isEmpty) return
  // Behind a proxy that is not trusted, the address of the connection is not the client's.
  const isKnown = client.isFromProxy || !client.isForwarded
  if (!isKnown || !list.has(client.address)) throw addressNotAllowed()
}

function requireLocal(app: App): Guard {
  return async (request) => {
    if (app.config.internalPort !== undefined && !isOnInternalListener(app, request)) throw routeNotFound()
    if (!request.client.isLocal) throw notLocal()
  }
}

/** The internal listener is recognised by its port. */
function isOnInternalListener(app: App, request: FastifyRequest): boolean {
  return request.raw.socket.localPort === app.config.internalPort
}

/** On the public port a trusted proxy is not local, because not every proxy sends a forwarding header. */
export function isLocal(app: App, request: FastifyRequest): boolean {
  const { isLocal, isFromProxy } = request.client
  return (
    isLocal && (app.config.internalPort === undefined ? !isFromProxy : isOnInternalListener(app, request))
  )
}

const NoBody = Type.Object({}, { additionalProperties: false })

function requireSignature(app: App, endpoint: Endpoint): Guard {
  const check = bodyCheckOf(endpoint.body ?? NoBody, endpoint.bodyFaults)
  const checkSignature = signatureCheck(app)
  return async (request) => {
    const bytes = await readBody(request.raw)
    await checkSignature(request.raw, bytes)
    request.checkedBody = parseBody(request.raw, bytes, check)
  }
}
