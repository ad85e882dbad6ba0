import { type Answer, type Channel, Peer } from './peer.ts'

/** The processes of one server, as one of them sees the others: further processes know the first one, and it knows all. */
export class Processes {
  /** How many share the work and the limits of the server. */
  readonly count: number
  /** Undefined in the first process itself. */
  readonly first: Peer | undefined
  readonly #further = new Set<Peer>()
  readonly #answers = new Map<string, Answer>()

  constructor(count: number, toFirst?: Channel) {
    this.count = count
    this.first = toFirst && new Peer(toFirst, this.#answers)
  }

  get further(): readonly Peer[] {
    return [...this.#further]
  }

  /** What this process answers to the others. */
  answer(verb: string, answer: Answer): void {
    this.#answers.set(verb, answer)
  }

  /** A process that this one has started. */
  add(channel: Channel): Peer {
    const peer = new Peer(channel, this.#answers)
    this.#further.add(peer)
    peer.ended.addEventListener('abort', () => this.#further.delete(peer), { once: true })
    return peer
  }
}

export const oneProcess = (): Processes => new Processes(1)
