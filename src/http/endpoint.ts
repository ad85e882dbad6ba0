import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import type { App } from '../app.ts'
import type { ControlKey } from '../control/index.ts'
import type { Visitor } from './visitor.ts'

declare module 'fastify' {
  interface FastifyRequest {
    visitor: Visitor
    /** Whose call it is, where a key is asked for. */
    controlKey: ControlKey
    /** A body that was read, found signed and checked against the endpoint's schema. */
    checkedBody: unknown
    /** An upload that asked for the plain form is told its errors in it too. */
    isAnsweredInText: boolean
  }
}

/**
 * Who may call: everybody; this machine alone; this machine with a key; this machine, or anybody with a key;
 * or a holder of a key who also signs.
 */
export type Access = 'open' | 'local' | 'local-key' | 'local-or-key' | 'signed'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** What an address is about: the chapters of the description. */
export type Tag = 'Credentials' | 'Tenants' | 'Plans' | 'Proxy' | 'Health' | 'Description'

/** A body of which nothing is known but that it is an object. */
export type LooseBody = Readonly<Record<string, unknown>>

export interface Answer {
  description: string
  /** JSON unless told otherwise. */
  contentType?: string
  schema?: TSchema
  example?: unknown
  /** Headers worth knowing, each with what it says. */
  headers?: Readonly<Record<string, string>>
}

/** What an address does, for the router and for the reader. */
export interface Endpoint {
  tag: Tag
  summary: string
  description?: string
  access: Access
  /** The parts of the address in braces. */
  params?: TObject
  query?: TObject
  /** The JSON body that it takes. */
  body?: TSchema
  bodyExample?: unknown
  /** What is wrong with a body beyond its schema, one line for each fault. */
  bodyFaults?: (body: LooseBody) => string[]
  answers: Readonly<Record<number, Answer>>
  handle: (app: App) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

export interface Route {
  method: Method
  /** In the form of OpenAPI: `/_/api/4/tenants/{id}`. */
  path: string
  endpoint: Endpoint
}
