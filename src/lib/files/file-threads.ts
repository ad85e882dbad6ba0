import { availableParallelism, constants } from 'node:os'
import { Worker } from 'node:worker_threads'

export type FileAlgorithm = 'md5' | 'sha256'

/** Hexadecimal digits. */
export type Sums = Partial<Record<FileAlgorithm, string>>

/** Bytes that replace others at this offset. */
export interface Patch {
  at: number
  bytes: Uint8Array
}

/** The first one makes the file, the last one closes it and answers with its sums. */
export interface WriteWork {
  verb: 'write'
  file: number
  path: string
  mode: number
  sums: readonly FileAlgorithm[]
  bytes: Uint8Array
  isLast: boolean
}

export interface PatchWork {
  verb: 'patch'
  path: string
  patches: readonly Patch[]
}

export type FileWork = WriteWork | PatchWork | { verb: 'close'; file: number }

interface Fault {
  message: string
  code: string | undefined
  errno: number | undefined
  syscall: string | undefined
}

export type FileAnswer = { sums: Sums } | { fault: Fault }

export interface NewThreadFile {
  path: string
  mode: number
  sums: readonly FileAlgorithm[]
}

/** A new file that a thread writes and hashes. One call at a time. */
export interface ThreadFile {
  /** The pieces may be used again once this resolves. */
  write(pieces: readonly Uint8Array[]): Promise<void>
  /** Writes the last pieces, closes the file and answers with its sums. */
  end(pieces: readonly Uint8Array[]): Promise<Sums>
  /** Must be called unless `end` has resolved; also may be afterwards. */
  close(): Promise<void>
}

/** Of one write. A thread has two: one is filled while it works on the other. */
export const blockBytes = 524_288
const blocksPerThread = 2
const mostThreads = 4

const threads: FileThread[] = []
let files = 0

/** The bytes of a file are copied once, into memory that the thread shares: the main thread has requests to answer. */
export function newThreadFile({ path, mode, sums }: NewThreadFile): ThreadFile {
  files += 1
  const file = files
  let thread: FileThread | undefined

  async function write(pieces: readonly Uint8Array[], isEnd = false): Promise<Sums> {
    thread ??= enter(leastBusy())
    let answer: Sums = {}
    let rest = pieces
    do {
      using block = await thread.takeBlock()
      const filled = fillBlock(block.bytes, rest)
      rest = filled.rest
      const bytes = block.bytes.subarray(0, filled.bytes)
      const isLast = isEnd && rest.length === 0
      answer = await thread.perform({ verb: 'write', file, path, mode, sums, bytes, isLast })
    } while (rest.length > 0)
    return answer
  }

  function leave(): FileThread | undefined {
    const left = thread
    if (left) left.files -= 1
    thread = undefined
    return left
  }

  return {
    async write(pieces) {
      await write(pieces)
    },
    async end(pieces) {
      const sums = await write(pieces, true)
      leave()
      return sums
    },
    async close() {
      await leave()?.perform({ verb: 'close', file })
    },
  }
}

function enter(thread: FileThread): FileThread {
  thread.files += 1
  return thread
}

/** Changes bytes of a file where they are, and answers with the MD5 of the whole file. */
export async function patchFile(path: string, patches: readonly Patch[]): Promise<string> {
  const { md5 = '' } = await leastBusy().perform({ verb: 'patch', path, patches })
  return md5
}

function fillBlock(block: Uint8Array, pieces: readonly Uint8Array[]): { bytes: number; rest: Uint8Array[] } {
  let bytes = 0
  for (const [index, piece] of pieces.entries()) {
    const part = piece.length <= block.length - bytes ? piece : piece.subarray(0, block.length - bytes)
    block.set(part, bytes)
    bytes += part.length
    if (part.length < piece.length)
      return { bytes, rest: [piece.subarray(part.length), ...pieces.slice(index + 1)] }
  }
  return { bytes, rest: [] }
}

/** They start when they are needed: a start costs 30 ms of CPU. */
function leastBusy(): FileThread {
  const [least] = threads.toSorted((one, other) => one.files - other.files)
  if (least && (least.files === 0 || threads.length >= Math.min(mostThreads, availableParallelism())))
    return least
  const started = new FileThread()
  threads.push(started)
  return started
}

interface Block extends Disposable {
  bytes: Uint8Array
}

class FileThread {
  /** How many it is writing. */
  files = 0
  readonly #worker = new Worker(new URL('./file-thread.ts', import.meta.url), { execArgv: [] })
  readonly #waiting: PromiseWithResolvers<Sums>[] = []
  readonly #free: Uint8Array[] = []
  #blocks = 0
  readonly #forBlock: PromiseWithResolvers<Uint8Array>[] = []
  #fault: Error | undefined

  constructor() {
    this.#worker.on('message', (answer: FileAnswer) => this.#answer(answer))
    this.#worker.on('error', (fault) => this.#fail(fault))
    this.#worker.on('exit', (code) => this.#fail(code))
    // A thread that waits keeps no process alive.
    this.#worker.unref()
  }

  perform(work: FileWork): Promise<Sums> {
    const caller = Promise.withResolvers<Sums>()
    if (this.#fault) caller.reject(this.#fault)
    else {
      if (this.#waiting.length === 0) this.#worker.ref()
      this.#waiting.push(caller)
      this.#worker.postMessage(work)
    }
    return caller.promise
  }

  /** Waits while all are being written: the disk or the hashing is slower than the senders. */
  async takeBlock(): Promise<Block> {
    const bytes = this.#free.pop() ?? this.#newBlock() ?? (await this.#nextBlock())
    return { bytes, [Symbol.dispose]: () => this.#giveBack(bytes) }
  }

  #newBlock(): Uint8Array | undefined {
    if (this.#blocks >= blocksPerThread) return undefined
    this.#blocks += 1
    return new Uint8Array(new SharedArrayBuffer(blockBytes))
  }

  #nextBlock(): Promise<Uint8Array> {
    const caller = Promise.withResolvers<Uint8Array>()
    this.#forBlock.push(caller)
    return caller.promise
  }

  #giveBack(bytes: Uint8Array): void {
    const next = this.#forBlock.shift()
    if (next) next.resolve(bytes)
    else this.#free.push(bytes)
  }

  #answer(answer: FileAnswer): void {
    const caller = this.#waiting.shift()
    if (this.#waiting.length === 0) this.#worker.unref()
    if ('sums' in answer) caller?.resolve(answer.sums)
    else caller?.reject(Object.assign(new Error(answer.fault.message), answer.fault))
  }

  #fail(fault: unknown): void {
    this.#fault ??= Object.assign(new Error('A thread for files has ended.', { cause: fault }), {
      errno: -constants.errno.EIO,
      code: 'EIO',
    })
    // The next file starts another thread.
    if (threads.includes(this)) threads.splice(threads.indexOf(this), 1)
    for (const caller of this.#waiting.splice(0)) caller.reject(this.#fault)
  }
}
