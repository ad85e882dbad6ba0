import { type HashThreads, sharedBuffer } from '../../lib/concurrency/hash-threads.ts'

/** Shorter bytes are worked on some at a time; longer ones alone, piece by piece. */
const shortBytes = 4 * 1_048_576
const shortAtOnce = 6
const pieceBytes = 1_048_576
const piecesAtOnce = 4

/** What the bytes of one entry are read with. */
export interface Lane {
  threads: HashThreads
  buffers: readonly Buffer[]
  /** Whether there is one buffer, which takes all of the bytes. */
  isShort: boolean
}

interface Started {
  lane: Lane
  work: Promise<unknown>
  finish: () => Promise<void>
}

interface Entry<T> {
  sizeBytes: number
  /** Several run at a time. */
  work(lane: Lane): Promise<T>
  /** In order, one at a time; until it resolves the buffers stay as they are. */
  finish(result: T, lane: Lane): Promise<void> | void
}

/** Works on the bytes of entries with a bounded memory, however long or many they are. */
export class Lanes implements AsyncDisposable {
  readonly #threads: HashThreads
  readonly #long: Lane
  readonly #free: Lane[] = []
  readonly #started: Started[] = []

  constructor(threads: HashThreads) {
    this.#threads = threads
    const buffers = Array.from({ length: piecesAtOnce }, () => sharedBuffer(pieceBytes))
    this.#long = { threads, buffers, isShort: false }
  }

  /** Resolves when there is room for another entry, or when this one is done if it is long. */
  async start<T>({ sizeBytes, work, finish }: Entry<T>): Promise<void> {
    if (sizeBytes > shortBytes) {
      await this.finish()
      return await finish(await work(this.#long), this.#long)
    }
    if (this.#started.length >= shortAtOnce) await this.#finishFirst()
    const lane = this.#free.pop() ?? this.#shortLane()
    const working = work(lane)
    // It is awaited later, or never if one before it fails.
    working.catch(() => undefined)
    this.#started.push({
      lane,
      work: working,
      finish: async () => finish(await working, lane),
    })
  }

  async finish(): Promise<void> {
    while (this.#started.length > 0) await this.#finishFirst()
  }

  /** After a failure: what was started ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#started.map(({ work }) => work))
  }

  #shortLane(): Lane {
    return { threads: this.#threads, buffers: [sharedBuffer(shortBytes)], isShort: true }
  }

  async #finishFirst(): Promise<void> {
    const first = this.#started.shift()
    if (!first) return
    await first.finish()
    this.#free.push(first.lane)
  }
}
