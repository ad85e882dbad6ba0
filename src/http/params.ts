import type { FastifyRequest } from 'fastify'

/** The `{id}` of the address. */
export const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id
