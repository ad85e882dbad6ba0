import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'

/** The internal listener is told apart by its port: the socket knows where it was accepted. */
export function isOnInternalListener(app: App, request: FastifyRequest): boolean {
  return request.raw.socket.localPort === app.config.internalPort
}
