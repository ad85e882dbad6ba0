import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from '../app.ts'
import type { Visitor } from './visitor.ts'

declare module 'fastify' {
  interface FastifyRequest {
    visitor: Visitor
    /** A body that was read, found signed and checked against the endpoint's schema. */
    checkedBody: unknown
  }
}

/**
 * Who may call: everybody; this machine alone; this machine with a key; this machine, or anybody with a key;
 * or a holder of a key who also signs.
 */
export type Access = 'open' | 'local' | 'local-key' | 'local-or-key' | 'signed'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Answer {
  description: string
  schema?: TSchema
  example?: unknown
}

/** What an address does, for the router and for the reader. */
export interface Endpoint {
  summary: string
  description?: string
  access: Access
  /** The JSON body that it takes. */
  body?: TSchema
  bodyExample?: unknown
  answers: Readonly<Record<number, Answer>>
  handle: (app: App) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

export interface Route {
  method: Method
  /** In the form of OpenAPI: `/_/api/4/tenants/{id}`. */
  path: string
  endpoint: Endpoint
}
