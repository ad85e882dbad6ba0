import { sharedBuffer } from '../../lib/concurrency/hash-threads.ts'

/** The bytes that are read by other threads: enough for each to have the next ones. */
const usualMost = 64
/** As short bytes have a buffer of their own, which no other thread reads. */
const shortBytes = 131_072
const bufferBytes = 1_048_576
/** Of all entries that are in memory at a time. */
const mostBuffers = 32
/** Longer entries go alone, through these buffers, one after the other. */
const mostBuffersOfOne = 16

/** What the bytes of one entry are read into. */
export interface Lane {
  buffers: readonly Buffer[]
  /** Whether the buffers take all of the bytes. */
  isWhole: boolean
}

interface Started {
  lane: Lane
  finish: () => Promise<void>
  work: Promise<unknown>
}

interface Entry<T> {
  sizeBytes: number
  /** Unless other threads read the bytes. */
  hasBuffers?: boolean
  /** Several run at a time. */
  work(lane: Lane): Promise<T>
  /** In order, one at a time; until it resolves the buffers stay as they are. */
  finish(result: T, lane: Lane): Promise<void> | void
}

/** Works on several entries at a time, in bounded memory, however long or many they are. */
export class Lanes implements AsyncDisposable {
  readonly #most: number
  readonly #free: Buffer[] = []
  /** Those of short bytes. They are reused too: an archive may have millions. */
  readonly #freeShort: Buffer[] = []
  #buffers = 0
  readonly #started: Started[] = []

  constructor({ most = usualMost } = {}) {
    this.#most = most
  }

  /** Resolves when there is room for another entry, or when this one is done if it is too long for the buffers. */
  async start<T>({ sizeBytes, hasBuffers = false, work, finish }: Entry<T>): Promise<void> {
    const isShort = sizeBytes <= shortBytes
    const needed = hasBuffers && !isShort ? Math.ceil(sizeBytes / bufferBytes) : 0
    const isWhole = needed <= mostBuffersOfOne
    if (!isWhole) await this.finish()
    const count = Math.min(needed, mostBuffersOfOne)
    while (this.#started.length >= this.#most || (this.#isShortOf(count) && this.#started.length > 0))
      await this.#finishFirst()
    const buffers = isShort && hasBuffers ? [this.#takeShort()] : this.#take(count)
    const lane = { buffers, isWhole }
    const working = work(lane)
    // It is awaited later, or never if one before it fails.
    working.catch(() => undefined)
    this.#started.push({ lane, work: working, finish: async () => finish(await working, lane) })
    if (!isWhole) await this.finish()
  }

  async finish(): Promise<void> {
    while (this.#started.length > 0) await this.#finishFirst()
  }

  /** After a failure: what was started ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#started.map(({ work }) => work))
  }

  #isShortOf(count: number): boolean {
    return this.#free.length + mostBuffers - this.#buffers < count
  }

  #takeShort(): Buffer {
    return this.#freeShort.pop() ?? Buffer.allocUnsafeSlow(shortBytes)
  }

  #take(count: number): Buffer[] {
    const taken = this.#free.splice(0, count)
    while (taken.length < count) {
      taken.push(sharedBuffer(bufferBytes))
      this.#buffers += 1
    }
    return taken
  }

  async #finishFirst(): Promise<void> {
    const first = this.#started.shift()
    if (!first) return
    await first.finish()
    for (const buffer of first.lane.buffers)
      (buffer.length === bufferBytes ? this.#free : this.#freeShort).push(buffer)
  }
}
