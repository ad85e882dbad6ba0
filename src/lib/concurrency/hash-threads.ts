import { createHash, type Hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

export type Algorithm = 'md5' | 'sha256'

export type HashWork =
  | { verb: 'begin'; sum: number; algorithms: readonly Algorithm[] }
  | { verb: 'add'; sum: number; chunk: Uint8Array }
  | ({ verb: 'piece' } & PieceWork)
  | { verb: 'copy'; sum: number; to: number }
  | { verb: 'end'; sum: number }

/** A part of an opened file, which the thread reads itself, and where it writes what it has read. */
export interface PieceWork {
  /** It begins with the first piece, and ends with the last one. */
  sum: number
  algorithms: readonly Algorithm[]
  from: { fd: number; position: number }
  to: (({ path: string } | { fd: number }) & { position: number }) | undefined
  sizeBytes: number
  isLast: boolean
}

/** The digests, whether the file had all bytes of a piece, or the error of a file system. */
export type HashAnswer =
  | readonly Uint8Array[]
  | 'more'
  | 'too short'
  | { message: string; code: string | undefined; syscall: string | undefined }
  | undefined

/** A sum of all chunks that were added, in that order. */
export interface Sum {
  /** The chunk must stay as it is until this resolves; chunks of `sharedBuffer` are not copied. */
  add(chunk: Buffer): Promise<void>
  /** A sum that goes on from here by itself. */
  copy(): Sum
  /** Must be called once, also if the digest is not needed any more. */
  digest(): Promise<Buffer>
}

/** Where bytes are copied while they are summed: a new file, or a part of an opened one. */
export type CopyTo = { path: string } | { fd: number; position: number }

interface Part {
  from: { fd: number; position: number }
  sizeBytes: number
  algorithms: readonly Algorithm[]
  to?: CopyTo | undefined
  /** Gets the bytes that were read. If it throws, no more of them are. */
  onBytes?: ((bytes: number) => void) | undefined
}

/** Memory that other threads read without a copy. */
export const sharedBuffer = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes))

const mostThreads = 4
/** Shorter bytes cost less than the messages. */
const shortBytes = 131_072
/** How long one byte takes, in relation to the others. */
const weights: Record<Algorithm, number> = { md5: 2, sha256: 1 }
/** After as many bytes a thread looks at its next message. */
const pieceBytes = 16 * 1_048_576

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
    void thread.perform({ verb: 'begin', sum, algorithms: [algorithm] }).catch(() => undefined)
    return this.#sumIn(thread, sum, load)
  }

  /**
   * The sums of a part of a file, which a thread reads and copies without the main thread. Undefined if the file is shorter. An
   * error of a file system has its code, and the name of the call.
   */
  async ofPart({ from, sizeBytes, algorithms, to, onBytes }: Part): Promise<readonly Buffer[] | undefined> {
    const thread = this.#leastBusy()
    const load = algorithms.reduce((total, algorithm) => total + sizeBytes * weights[algorithm], 0)
    const sum = this.#next()
    thread.load += load
    let answer: HashAnswer = 'more'
    try {
      for (let done = 0; answer === 'more'; done += pieceBytes) {
        const most = Math.min(pieceBytes, sizeBytes - done)
        answer = await thread.perform({
          verb: 'piece',
          sum,
          algorithms,
          from: { fd: from.fd, position: from.position + done },
          to: to && { ...to, position: ('fd' in to ? to.position : 0) + done },
          sizeBytes: most,
          isLast: done + most === sizeBytes,
        })
        onBytes?.(most)
      }
      if (typeof answer === 'object' && 'message' in answer)
        throw Object.assign(new Error(answer.message), answer)
      return answer === 'too short' ? undefined : digestsOf(answer)
    } finally {
      thread.load -= load
      // The thread forgets a sum that has not ended.
      if (!Array.isArray(answer)) void thread.perform({ verb: 'end', sum }).catch(() => undefined)
    }
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
        const [digest = Buffer.alloc(0)] = digestsOf(await thread.perform({ verb: 'end', sum }))
        return digest
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

const digestsOf = (answer: HashAnswer): readonly Buffer[] =>
  Array.isArray(answer) ? answer.map((digest) => Buffer.from(digest)) : []

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
