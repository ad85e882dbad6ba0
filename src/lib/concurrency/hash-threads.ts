import { createHash, type Hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

export type Algorithm = 'md5' | 'sha256'

export type HashWork =
  | { verb: 'begin'; sum: number; algorithm: Algorithm }
  | { verb: 'add'; sum: number; chunk: Uint8Array }
  | { verb: 'copy'; sum: number; to: number }
  | { verb: 'end'; sum: number }

export type HashAnswer = Uint8Array | undefined

/** A sum of all chunks that were added, in that order. */
export interface Sum {
  /** The chunk must stay as it is until this resolves; chunks of `sharedBuffer` are not copied. */
  add(chunk: Buffer): Promise<void>
  /** A sum that goes on from here by itself. */
  copy(): Sum
  /** Must be called once, also if the digest is not needed any more. */
  digest(): Promise<Buffer>
}

/** Memory that other threads read without a copy. */
export const sharedBuffer = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes))

const mostThreads = 4
/** Shorter bytes cost less than the messages. */
const shortBytes = 131_072
/** How long one byte takes, in relation to the others. */
const weights: Record<Algorithm, number> = { md5: 2, sha256: 1 }

/** Sums of many bytes, taken beside the main thread, which has requests to answer, and several at a time. */
export class HashThreads implements AsyncDisposable {
  readonly #threads: HashThread[] = []
  #sums = 0

  /** `sizeBytes`: about how many are added, which decides about the thread. */
  begin(algorithm: Algorithm, sizeBytes: number): Sum {
    if (sizeBytes <= shortBytes) return sumHere(algorithm)
    const thread = this.#leastBusy()
    const load = sizeBytes * weights[algorithm]
    const sum = this.#next()
    void thread.perform({ verb: 'begin', sum, algorithm }).catch(() => undefined)
    return this.#sumIn(thread, sum, load)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }

  #sumIn(thread: HashThread, sum: number, load: number): Sum {
    thread.load += load
    return {
      add: async (chunk) => void (await thread.perform({ verb: 'add', sum, chunk })),
      copy: () => {
        const to = this.#next()
        void thread.perform({ verb: 'copy', sum, to }).catch(() => undefined)
        return this.#sumIn(thread, to, load)
      },
      digest: async () => {
        thread.load -= load
        return Buffer.from((await thread.perform({ verb: 'end', sum })) ?? [])
      },
    }
  }

  #next(): number {
    this.#sums += 1
    return this.#sums
  }

  /** They start when they are needed: a start costs 30 ms of CPU. */
  #leastBusy(): HashThread {
    const [least] = this.#threads.toSorted((one, other) => one.load - other.load)
    const most = Math.min(mostThreads, availableParallelism())
    if (least && (least.load === 0 || this.#threads.length >= most)) return least
    const started = new HashThread()
    this.#threads.push(started)
    return started
  }
}

/** In the thread of the caller. */
export const sumHere = (algorithm: Algorithm): Sum => sumOf(createHash(algorithm))

const sumOf = (hash: Hash): Sum => ({
  add: async (chunk) => void hash.update(chunk),
  copy: () => sumOf(hash.copy()),
  digest: async () => hash.digest(),
})

class HashThread {
  /** What was given to it and has not ended yet. */
  load = 0
  readonly #worker = new Worker(new URL('./hash-thread.ts', import.meta.url))
  readonly #waiting: PromiseWithResolvers<HashAnswer>[] = []
  #fault: unknown

  constructor() {
    this.#worker.on('message', (answer: HashAnswer) => {
      this.#waiting.shift()?.resolve(answer)
    })
    this.#worker.on('error', (fault) => this.#fail(fault))
    this.#worker.on('exit', () => this.#fail(new Error('The thread for sums has ended.')))
  }

  perform(work: HashWork): Promise<HashAnswer> {
    const caller = Promise.withResolvers<HashAnswer>()
    if (this.#fault) caller.reject(this.#fault)
    else {
      this.#waiting.push(caller)
      this.#worker.postMessage(work)
    }
    return caller.promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #fail(fault: unknown): void {
    this.#fault ??= fault
    for (const caller of this.#waiting.splice(0)) caller.reject(this.#fault)
  }
}
