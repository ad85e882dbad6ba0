import type { Fault } from '../faults.ts'
import { Refusal, type RefusalKind } from '../refusal.ts'

/** What a process and one that it has started have in common: each is the channel to the other. */
export interface Channel {
  send?(message: Message, onSent: () => void): unknown
  connected?: boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

interface Refused {
  kind: RefusalKind
  code: string
  message: string
  reason: string
  list: readonly string[]
  faults: readonly Fault[]
  params: Readonly<Record<string, string | number>>
  retryAfterSeconds: number | undefined
  number: number | undefined
  cause: string
}

type Message =
  | { type: 'ask'; id: number; verb: string; input: unknown }
  | { type: 'abort'; id: number }
  | { type: 'progress'; id: number; value: unknown }
  | { type: 'done'; id: number; result: unknown }
  | { type: 'refused'; id: number; refusal: Refused }
  | { type: 'failed'; id: number; code: string | undefined; message: string }

/** The call that a process answers. */
export interface Call {
  peer: Peer
  /** Aborted if the asker no longer waits, or has ended. */
  signal: AbortSignal
  /** Tells the asker that the work has begun, or what it has been granted. */
  progress: (value?: unknown) => void
}

export type Answer = (input: never, call: Call) => unknown

interface Asked extends PromiseWithResolvers<unknown> {
  onProgress: ((value: unknown) => void) | undefined
}

/** Another process of the same server: questions that are answered over the channel between a parent and its child. */
export class Peer {
  readonly #channel: Channel
  readonly #answers: ReadonlyMap<string, Answer>
  readonly #asked = new Map<number, Asked>()
  readonly #answering = new Map<number, AbortController>()
  readonly #ended = new AbortController()
  #lastId = 0

  constructor(channel: Channel, answers: ReadonlyMap<string, Answer>) {
    this.#channel = channel
    this.#answers = answers
    channel.on('message', (message) => this.#receive(message as Message))
    channel.on('disconnect', () => this.#end())
    // The other process may have ended before this one was ready to notice.
    if (channel.connected === false) this.#end()
  }

  /** Aborted when the process has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  async ask<T>(
    verb: string,
    input: unknown,
    {
      signal,
      onProgress,
    }: { signal?: AbortSignal | undefined; onProgress?: ((value: unknown) => void) | undefined } = {},
  ): Promise<T> {
    if (this.#ended.signal.aborted) throw processEnded()
    signal?.throwIfAborted()
    this.#lastId += 1
    const id = this.#lastId
    const asked: Asked = { onProgress, ...Promise.withResolvers() }
    this.#asked.set(id, asked)
    const onAbort = () => this.#send({ type: 'abort', id })
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#send({ type: 'ask', id, verb, input })
    try {
      return (await asked.promise) as T
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#asked.delete(id)
    }
  }

  #receive(message: Message): void {
    if (message.type === 'ask') void this.#answer(message)
    else if (message.type === 'abort') this.#answering.get(message.id)?.abort(askerLeft())
    else this.#resolve(message)
  }

  #resolve(message: Exclude<Message, { type: 'ask' | 'abort' }>): void {
    const asked = this.#asked.get(message.id)
    if (message.type === 'progress') asked?.onProgress?.(message.value)
    else if (message.type === 'done') asked?.resolve(message.result)
    else if (message.type === 'refused') asked?.reject(refusalOf(message.refusal))
    else asked?.reject(Object.assign(new Error(message.message), { code: message.code }))
  }

  async #answer({ id, verb, input }: { id: number; verb: string; input: unknown }): Promise<void> {
    const abort = new AbortController()
    this.#answering.set(id, abort)
    const progress = (value?: unknown) => this.#send({ type: 'progress', id, value })
    try {
      const answer = this.#answers.get(verb)
      if (!answer) throw new Error(`No process answers "${verb}".`)
      const result = await answer(input as never, { peer: this, signal: abort.signal, progress })
      this.#send({ type: 'done', id, result })
    } catch (error) {
      if (error instanceof Refusal) this.#send({ type: 'refused', id, refusal: wireOf(error) })
      else {
        const { code, message } = error as NodeJS.ErrnoException
        this.#send({ type: 'failed', id, code, message })
      }
    } finally {
      this.#answering.delete(id)
    }
  }

  /** A message to a process that has just ended is lost; its end is noticed soon. */
  #send(message: Message): void {
    if (!this.#ended.signal.aborted) this.#channel.send?.(message, () => undefined)
  }

  #end(): void {
    this.#ended.abort(processEnded())
    for (const asked of this.#asked.values()) asked.reject(processEnded())
    for (const abort of this.#answering.values()) abort.abort(askerLeft())
  }
}

const processEnded = () =>
  new Refusal('unavailable', 'process-ended', 'A process of the server has ended. Try again.')

const askerLeft = () => new Refusal('unavailable', 'caller-left', 'The asking process no longer waits.')

const wireOf = ({ cause, kind, code, message, reason, list, faults, params, ...rest }: Refusal): Refused => {
  const { retryAfterSeconds, number } = rest
  const text = cause === undefined ? '' : String(cause)
  return { kind, code, message, reason, list, faults, params, retryAfterSeconds, number, cause: text }
}

const refusalOf = ({ kind, code, message, ...details }: Refused) => new Refusal(kind, code, message, details)
