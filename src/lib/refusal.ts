import { type Fault, lineOf } from './faults.ts'
import { englishOf, type Message } from './messages.ts'

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

type RefusalParams = Readonly<Record<string, string | number>>

interface RefusalDetails {
  /** The lines of the answer, if they are not those of the faults, or the message. */
  list?: readonly string[]
  /** What exactly was refused, where the code is a wider one; the code by default. */
  reason?: string
  /** What is wrong with which field. */
  faults?: readonly Fault[] | undefined
  /** The numbers and names that its message mentions, for its words in other languages. */
  params?: RefusalParams
  /** The message and the lines of its list as data, where pages write them in the language of their reader. */
  messages?: readonly (Message | string)[]
  /** When another try may succeed. */
  retryAfterSeconds?: number | undefined
  /** `error.code` of the response, if it is not the status. */
  number?: number | undefined
  /** The underlying error; logged, never shown to a client. */
  cause?: unknown
}

/** An expected refusal: `kind` for the program, `code` for the client, `message` for people. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly code: string
  readonly reason: string
  readonly list: readonly string[]
  readonly faults: readonly Fault[]
  readonly params: RefusalParams
  readonly messages: readonly (Message | string)[]
  readonly retryAfterSeconds: number | undefined
  readonly number: number | undefined

  constructor(kind: RefusalKind, code: string, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.kind = kind
    this.code = code
    this.reason = details.reason ?? code
    this.faults = details.faults ?? []
    this.params = details.params ?? {}
    this.messages = details.messages ?? []
    this.list = details.list ?? [message]
    this.retryAfterSeconds = details.retryAfterSeconds
    this.number = details.number
  }
}

/** A refusal whose message, and the lines below it, pages write in the language of their reader. */
export function refusalInMessages(
  kind: RefusalKind,
  code: string,
  head: Message,
  lines: readonly (Message | string)[] = [],
): Refusal {
  const text = englishOf(head)
  const list = lines.map((line) => (typeof line === 'string' ? line : englishOf(line)))
  return new Refusal(kind, code, text, {
    list: lines.length > 0 ? list : [text],
    messages: [head, ...lines],
  })
}

/** Refuses what was sent, with all its faults at once. */
export function invalidFields(
  faults: readonly Fault[],
  code = 'invalid',
  details: Pick<RefusalDetails, 'number' | 'cause'> = {},
): Refusal {
  const list = faults.map(lineOf)
  return new Refusal('invalid', code, list.join('; '), { ...details, list, faults })
}
