/** Why an expected refusal happened. `http/` maps it to a status, `cli/` to an exit code. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'too-many'
  | 'unavailable'

/** A fault of one part of a request, for APIs that point at it. */
export interface RequestFault {
  in: 'body' | 'query' | 'header'
  /** A field's path with dots, as in `tags.3`; a parameter or header by name; empty for the body as a whole. */
  name: string
  detail: string
}

interface RefusalDetails {
  /** Every fault, if there are more than the message says. */
  list?: readonly string[]
  /** The same faults with where they are. */
  faults?: readonly RequestFault[]
  /** When another try may succeed. */
  retryAfterSeconds?: number
  /** `error.code` of the response, if it is not the status. */
  number?: number | undefined
  /** The underlying error; logged, never shown to a client. */
  cause?: unknown
}

/** An expected refusal: `kind` for the program, `code` for the client, `message` for people. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly code: string
  readonly list: readonly string[]
  readonly faults: readonly RequestFault[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly number: number | undefined

  constructor(kind: RefusalKind, code: string, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.kind = kind
    this.code = code
    this.list = details.list ?? [message]
    this.faults = details.faults
    this.retryAfterSeconds = details.retryAfterSeconds
    this.number = details.number
  }
}

/** Refuses a request with all its faults at once. */
export function invalidRequest(faults: readonly RequestFault[]): Refusal {
  const list = faults.map(({ name, detail }) => (name === '' ? detail : `${name}: ${detail}`))
  return new Refusal('invalid', 'invalid', list.join('; '), { list, faults })
}

/** Refuses a request because of one header. */
export const invalidHeader = (name: string, detail: string): Refusal =>
  invalidRequest([{ in: 'header', name, detail }])
