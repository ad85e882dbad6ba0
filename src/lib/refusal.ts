/** Why something expected is not done. Doors map the word to a status or an exit code. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'too-many'
  | 'unavailable'

interface RefusalDetails {
  /** Every fault found, when there is more than the message says. */
  list?: readonly string[]
  /** What really happened; logged, never shown. */
  cause?: unknown
}

/** An expected no: kind for the machine, code for the client, message for the reader. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly code: string
  readonly list: readonly string[]

  constructor(kind: RefusalKind, code: string, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.kind = kind
    this.code = code
    this.list = details.list ?? [message]
  }
}
