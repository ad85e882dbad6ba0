import { setTimeout } from 'node:timers/promises'
import { Kysely, type LimitNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { isBusyFault, storeFault } from '../faults.ts'
import { siteMigrations } from '../migrations/site.ts'
import { openSqlite, type SqliteConnection, type SqliteResult } from './connection.ts'
import type { Statement } from './group-commit.ts'
import { pendingSteps } from './migrator.ts'
import { type Begun, type SessionFile, SqliteFileDriver, type WriteOptions } from './session.ts'
import type { SqliteThreads } from './threads.ts'

/** One SQLite file: read in this thread, written by a worker thread, one transaction at a time. */
export class SqliteFile implements SessionFile {
  readonly #path: string
  readonly #threads: Writer
  readonly #options: FileOptions
  readonly #writeLock = new Mutex()
  /** Two objects with the same path may be two files: the one before a move, and the one after it. */
  readonly #number = nextNumber()
  #reader: SqliteConnection | undefined
  /** When a transaction last got the file: the transactions of this process that wait for it are waited for while they move. */
  #movedAt = 0
  #changeToken = {}
  #dataVersion: unknown
  #isTokenFresh = false

  constructor(path: string, threads: Writer, options: FileOptions = {}) {
    this.#path = path
    this.#threads = threads
    this.#options = options
  }

  /** Waits until no other transaction of this server writes here; the result releases the lock. */
  async lock(): Promise<() => void> {
    const unlock = await this.#writeLock.acquire()
    if (!this.#threads.turns || this.#options.isDraft) return unlock
    const endTurn = await this.#threads.turns.take(this.#path)
    return () => {
      endTurn()
      unlock()
    }
  }

  read(sql: string, parameters: readonly unknown[]): SqliteResult {
    try {
      this.#reader ??= openSqlite(this.#path, { isReader: true })
      return this.#reader.run(sql, parameters)
    } catch (error) {
      throw storeFault(error)
    }
  }

  /** The same object until any process commits. Checked once per turn of the event loop, and after each write of this process. */
  changeToken(): object {
    if (this.#isTokenFresh) return this.#changeToken
    const [row] = this.read('pragma data_version', []).rows as { data_version: number }[]
    if (row?.data_version !== this.#dataVersion) this.#changeToken = {}
    this.#dataVersion = row?.data_version
    this.#isTokenFresh = true
    setImmediate(this.#expireToken)
    return this.#changeToken
  }

  readonly #expireToken = () => {
    this.#isTokenFresh = false
  }

  /** The caller must hold the lock. */
  async write(
    sql: string,
    parameters: readonly unknown[] = [],
    { isFirst = false, before = [] }: WriteOptions = {},
  ): Promise<SqliteResult> {
    const work = { ...this.#task(), sql, parameters, isFirst, before }
    const result = await this.#threads.perform({ ...work, verb: 'run' }).finally(this.#expireToken)
    return result ?? { rows: [], changes: 0 }
  }

  /** For the first statement of a transaction: retries while another process writes, without blocking the thread. */
  async writeWhenFree(sql: string, parameters: readonly unknown[], begun: Begun): Promise<SqliteResult> {
    const write = () => this.write(sql, parameters, { isFirst: begun.isTransaction })
    const result = await retryWhileBusy(Math.max(begun.askedAt, this.#movedAt), write)
    this.#movedAt = performance.now()
    return result
  }

  /** All statements in one transaction and one message to the thread. Returns how many rows each has changed. */
  async writeGroup(statements: readonly Statement[]): Promise<readonly number[]> {
    const askedAt = performance.now()
    const unlock = await this.lock()
    try {
      const work = { ...this.#task(), verb: 'group', statements } as const
      const written = () => this.#threads.perform(work).finally(this.#expireToken)
      const result = await retryWhileBusy(Math.max(askedAt, this.#movedAt), written)
      this.#movedAt = performance.now()
      return (result?.rows ?? []) as number[]
    } catch (error) {
      throw storeFault(error)
    } finally {
      unlock()
    }
  }

  /** Checks here whether steps are missing, so that opening a site rarely waits for the thread. */
  async migrate(): Promise<void> {
    const reader = { run: (sql: string, parameters: readonly unknown[]) => this.read(sql, parameters) }
    if (pendingSteps(reader, siteMigrations).length === 0) return
    await retryWhileBusy(performance.now(), () => this.#threads.perform({ ...this.#task(), verb: 'migrate' }))
  }

  /** Takes the lock first: closing during a transaction would roll it back. */
  async close(): Promise<void> {
    const unlock = await this.#writeLock.acquire()
    try {
      this.#reader?.close()
      this.#reader = undefined
      // `data_version` is a counter of each connection.
      this.#dataVersion = undefined
      this.#expireToken()
      await this.#threads.perform({ ...this.#task(), verb: 'close' })
    } finally {
      unlock()
    }
  }

  /** For a complete draft: closes it, and makes it survive a power cut. */
  async finalize(): Promise<void> {
    await this.#threads.perform({ ...this.#task(), verb: 'finalize' })
  }

  #task() {
    const { isDraft = false, generation } = this.#options
    return { path: this.#path, file: this.#number, isDraft, generation }
  }
}

type Writer = Pick<SqliteThreads, 'perform' | 'turns'>

interface FileOptions {
  isDraft?: boolean
  /** The generation that the file's write fence must have for a write. */
  generation?: number
}

let lastNumber = 0

function nextNumber(): number {
  lastNumber += 1
  return lastNumber
}

const busyTimeoutMs = 5_000
const pauseMs = 20

async function retryWhileBusy<T>(since: number, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusyFault(error) || performance.now() - since > busyTimeoutMs) throw error
    }
    await setTimeout(pauseMs)
  }
}

const files = new WeakMap<object, SqliteFile>()

/** Lets another Kysely of the same file read without waiting, too. */
export function shareFile(from: object, to: object): void {
  const file = files.get(from)
  if (file) files.set(to, file)
}

/** Reads without Kysely. Undefined within a transaction: only the thread that writes it sees its rows. */
export const readRowsSync = (
  db: object,
  sql: string,
  parameters: readonly unknown[],
): unknown[] | undefined => files.get(db)?.read(sql, parameters).rows

/** On SQLite the first statement of a transaction, even a read, takes the file's only write lock. */
export const isSqlite = (db: { getExecutor(): { adapter: object } }): boolean =>
  db.getExecutor().adapter instanceof FileAdapter

/** The same object until a commit; undefined if that cannot be known without waiting (PostgreSQL). */
export const changeTokenOf = (db: object): object | undefined => files.get(db)?.changeToken()

export function kyselyOfFile<Tables>(file: SqliteFile): Kysely<Tables> {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new FileAdapter(),
      createDriver: () => new SqliteFileDriver(file),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new FileQueryCompiler(),
    },
  })
  files.set(db, file)
  return db
}

/** Kysely would serialise all statements of an SQLite database; reads have a connection of their own and need not wait. */
class FileAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * SQLite plans by the value of a limit that is a parameter alone, so it prepares the statement again for each execution: 0.1 ms
 * for a list of files. It looks into no sum.
 */
export class FileQueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node)
    this.append(' + 0')
  }
}

/** A lock for one holder at a time, granted in the order of the calls. */
class Mutex {
  #tail: Promise<void> = Promise.resolve()

  /** Waits for the lock; the returned function releases it. */
  async acquire(): Promise<() => void> {
    const before = this.#tail
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tail = promise
    await before
    return resolve
  }
}
