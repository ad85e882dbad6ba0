import { Worker } from 'node:worker_threads'
import { storeUnavailable } from './faults.ts'
import type { SqliteResult } from './sqlite-connection.ts'

interface TaskOfFile {
  path: string
  /** Each has a connection of its own. */
  file: number
  isDraft: boolean
  /** What the gate must say before anything is written. */
  generation?: number | undefined
}

export type ThreadWork =
  | (TaskOfFile & { verb: 'run'; sql: string; parameters: readonly unknown[]; isFirst: boolean })
  | (TaskOfFile & { verb: 'migrate' })
  | (TaskOfFile & { verb: 'close' })
  /** Closes a draft, with its folder durable. */
  | (TaskOfFile & { verb: 'seal' })
  /** Makes a folder with one empty file, whose name is durable. */
  | { verb: 'make'; path: string }
  /** Fills such a file, and makes it durable. */
  | { verb: 'save'; path: string; bytes: Uint8Array }
  /** Puts such a folder in its place. */
  | { verb: 'place'; path: string; to: string }

export type ThreadTask = ThreadWork & { id: number }

export interface ThreadAnswer {
  id: number
  result?: SqliteResult | undefined
  fault?: { message: string; code: string | undefined }
}

/** The writing threads. A file always belongs to the same one. */
export interface SqliteThreads extends AsyncDisposable {
  perform(work: ThreadWork): Promise<SqliteResult | undefined>
  /** Throws once the disk has failed to keep what was written. */
  check(): void
}

/** Two, so that one slow commit holds up half of the writers at most. */
const threadCount = 2

export function startSqliteThreads(): SqliteThreads {
  const threads = Array.from({ length: threadCount }, startThread)
  let lostBy: unknown
  return {
    perform: (work) =>
      (threads[threadOf(work.path)] as Thread).perform(work).catch((error) => {
        if (isLoss(error)) lostBy ??= error
        throw error
      }),
    check() {
      if (lostBy !== undefined) throw storeUnavailable(lostBy)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((thread) => thread.stop()))
    },
  }
}

/** SQLite undoes the transaction and may go on, but the disk is not one to rely on. */
const isLoss = ({ code }: { code?: string }) => code === 'SQLITE_IOERR_FSYNC' || code === 'EIO'

interface Thread {
  perform(work: ThreadWork): Promise<SqliteResult | undefined>
  stop(): Promise<unknown>
}

function startThread(): Thread {
  const worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url))
  const waiting = new Map<number, PromiseWithResolvers<SqliteResult | undefined>>()
  let lastId = 0

  worker.on('message', (answer: ThreadAnswer) => {
    const asker = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) worker.unref()
    if (answer.fault)
      asker?.reject(Object.assign(new Error(answer.fault.message), { code: answer.fault.code }))
    else asker?.resolve(answer.result)
  })
  worker.unref()

  return {
    perform(work) {
      lastId += 1
      const asker = Promise.withResolvers<SqliteResult | undefined>()
      waiting.set(lastId, asker)
      // An idle thread must not keep a finished command alive; a working one must.
      worker.ref()
      worker.postMessage({ ...work, id: lastId })
      return asker.promise
    },
    stop: () => worker.terminate(),
  }
}

function threadOf(path: string): number {
  let sum = 0
  for (let place = 0; place < path.length; place += 1) sum = (sum * 31 + path.charCodeAt(place)) | 0
  return Math.abs(sum) % threadCount
}
