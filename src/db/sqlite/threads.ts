import { Worker } from 'node:worker_threads'
import { storeUnavailable } from '../faults.ts'
import type { SqliteResult } from './connection.ts'
import type { Statement } from './group-commit.ts'
import type { WriteTurns } from './write-turns.ts'

interface TaskOfFile {
  path: string
  /** The number of a `SqliteFile`; the thread has one connection for each. */
  file: number
  isDraft: boolean
  /** The generation that the write fence must have before anything is written. */
  generation?: number | undefined
}

export type ThreadWork =
  | (TaskOfFile & {
      verb: 'run'
      sql: string
      parameters: readonly unknown[]
      isFirst: boolean
      /** Statements of a transaction that has begun, which run first. */
      before: readonly Statement[]
    })
  /** All statements in one transaction; the result's rows say how many rows each has changed. */
  | (TaskOfFile & { verb: 'group'; statements: readonly Statement[] })
  | (TaskOfFile & { verb: 'migrate' })
  | (TaskOfFile & { verb: 'close' })
  /** Closes a draft and syncs it with its folder. */
  | (TaskOfFile & { verb: 'finalize' })
  /** Creates a folder with one empty file, and syncs the folder. */
  | { verb: 'make'; path: string }
  /** Fills that file, and syncs it. */
  | { verb: 'save'; path: string; bytes: Uint8Array }
  /** Renames that folder to its final path. */
  | { verb: 'publish'; path: string; to: string }

export type ThreadTask = ThreadWork & { id: number }

export interface ThreadAnswer {
  id: number
  result?: SqliteResult | undefined
  fault?: { message: string; code: string | undefined }
}

/** A store's way to the writing threads. All work of a file goes to the same thread. */
export interface SqliteThreads extends AsyncDisposable {
  perform(work: ThreadWork): Promise<SqliteResult | undefined>
  /** Undefined if no other process of the server writes. */
  readonly turns?: WriteTurns | undefined
  /** Throws after a write or sync has failed with an I/O error. */
  check(): void
}

/** Two, so that one slow commit blocks at most half of the files. */
const threadCount = 2

/** Of stores that were closed, by slot: a start takes 50 ms of CPU, so the next store of this process takes them over. */
const idle: readonly Thread[][] = Array.from({ length: threadCount }, () => [])

const startedSlots = new Set<number>()

function startAt(slot: number): Thread {
  startedSlots.add(slot)
  return startThread()
}

/** For programs that watch their threads: starts now those that a store would start with its first work. */
export function startSqliteThreads(): void {
  for (const [slot, threads] of idle.entries()) if (!startedSlots.has(slot)) threads.push(startAt(slot))
}

/** Each thread starts with the first work for it. */
export function openSqliteThreads(turns?: WriteTurns): SqliteThreads {
  const threads = new Map<number, Thread>()
  const openFiles = new Map<number, string>()
  let lostBy: unknown
  let isClosed = false

  function threadOf(path: string): Thread {
    const slot = slotOf(path)
    const thread = threads.get(slot) ?? idle[slot]?.pop() ?? startAt(slot)
    threads.set(slot, thread)
    return thread
  }

  return {
    turns,
    async perform(work) {
      if (isClosed) throw storeUnavailable(new Error('The store is closed.'))
      if (work.verb === 'close' && !openFiles.has(work.file)) return undefined
      if ('file' in work) openFiles.set(work.file, work.path)
      try {
        return await threadOf(work.path).perform(work)
      } catch (error) {
        if (isLoss(error as { code?: string })) lostBy ??= error
        throw error
      } finally {
        if (work.verb === 'close' || work.verb === 'finalize') openFiles.delete(work.file)
      }
    },
    check() {
      if (lostBy !== undefined) throw storeUnavailable(lostBy)
    },
    async [Symbol.asyncDispose]() {
      if (isClosed) return
      isClosed = true
      for (const [file, path] of openFiles)
        await threadOf(path).perform({ verb: 'close', path, file, isDraft: false })
      for (const [slot, thread] of threads) idle[slot]?.push(thread)
    },
  }
}

/** SQLite rolls back and can continue, but the disk is no longer reliable. */
const isLoss = ({ code }: { code?: string }) => code === 'SQLITE_IOERR_FSYNC' || code === 'EIO'

interface Thread {
  perform(work: ThreadWork): Promise<SqliteResult | undefined>
}

function startThread(): Thread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url))
  const pending = new Map<number, PromiseWithResolvers<SqliteResult | undefined>>()
  let lastId = 0

  worker.on('message', (answer: ThreadAnswer) => {
    const caller = pending.get(answer.id)
    pending.delete(answer.id)
    if (pending.size === 0) worker.unref()
    if (answer.fault)
      caller?.reject(Object.assign(new Error(answer.fault.message), { code: answer.fault.code }))
    else caller?.resolve(answer.result)
  })
  worker.unref()

  return {
    perform(work) {
      lastId += 1
      const caller = Promise.withResolvers<SqliteResult | undefined>()
      pending.set(lastId, caller)
      // An idle thread must not keep a finished command alive; a working one must.
      worker.ref()
      worker.postMessage({ ...work, id: lastId })
      return caller.promise
    },
  }
}

function slotOf(path: string): number {
  let sum = 0
  for (let index = 0; index < path.length; index += 1) sum = (sum * 31 + path.charCodeAt(index)) | 0
  return Math.abs(sum) % threadCount
}
