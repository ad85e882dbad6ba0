import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import type { Description, LooseBody, MediaAccess, Method, ReadingMethod } from '../../http/endpoint.ts'
import type { WithoutProof } from '../../http/requests/proof-rule.ts'
import type { RatePolicy } from '../../http/requests/rates.ts'
import type { Answer } from '../../http/responses/answer.ts'
import type { Lines } from '../../http/responses/send-lines.ts'
import type { Fault } from '../../lib/faults.ts'
import type { Site } from '../../site/index.ts'

/** A checked call of the site's own API. */
export interface MediaCall {
  app: App
  site: Site
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
  /** The parts of the path in braces. */
  params: Readonly<Record<string, string>>
  /** The parameters that were given, in the types of their schema. */
  query: Readonly<Record<string, unknown>>
  /** As its schema says; an empty object if no body was sent. */
  body: unknown
  /** Undefined if the header is missing, or the method takes none. */
  idempotency: { key: string; requestHash: string } | undefined
}

/** The response to a call, before it is written. */
export interface MediaAnswer extends Answer {
  /** In place of a body: a text of any length, of a call that changes nothing. It is sent once and never stored. */
  lines?: Lines
}

export interface MediaEndpoint extends Description {
  access: MediaAccess
  /** For staff that lacks the second step which the site demands, too: log-in and log-out. */
  needsNoSecondStep?: true
  /** By default `reads` for GET, and `writes` for all other methods. */
  rate?: RatePolicy | ((url: string) => RatePolicy)
  /** The call does not count: an upload has the flood limits, the same as in the upload API. */
  isRateFree?: true
  /** The handler reads the body itself: a file, which is never in memory as a whole. */
  isBodyUnread?: boolean
  /** Rules beyond the schema: returns one line for each fault of the body. */
  bodyFaults?: (body: LooseBody) => Fault[]
  handle: (call: MediaCall) => Promise<MediaAnswer>
}

/** An endpoint of another method than GET. */
export interface ChangingEndpoint extends MediaEndpoint {
  /** Whether a session needs a proof of the last ten minutes; a function decides it by the checked input. */
  proof: 'needed' | WithoutProof | ((call: MediaCall) => boolean | Promise<boolean>)
}

/** `path` in the form of OpenAPI: `/api/5/keys/{id}`. */
export type MediaRoute = {
  path: string
  /** False if HEAD is an operation of its own. */
  hasHead?: boolean
} & (
  | { method: ReadingMethod; endpoint: MediaEndpoint }
  | { method: Exclude<Method, ReadingMethod>; endpoint: ChangingEndpoint }
)
