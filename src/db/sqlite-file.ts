import { setTimeout } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { Kysely, SelectQueryNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { Mutex } from '../lib/mutex.ts'
import { isBusyFault, storeFault } from './faults.ts'
import { siteMigrations } from './migrations/site.ts'
import { pendingSteps } from './migrations/sqlite-migrator.ts'
import { openSqlite, type SqliteConnection, type SqliteResult } from './sqlite-connection.ts'
import type { SqliteThreads } from './sqlite-threads.ts'

/** One SQLite file: it is read here and written by a thread, one transaction at a time. */
export class SqliteFile {
  readonly #path: string
  readonly #threads: Writer
  readonly #options: FileOptions
  readonly #turns = new Mutex()
  /** Two that are open at the same path may be two files: one that was left, and one that came after it. */
  readonly #number = nextNumber()
  #reader: SqliteConnection | undefined
  #state = {}
  #dataVersion: unknown
  #isFresh = false

  constructor(path: string, threads: Writer, options: FileOptions = {}) {
    this.#path = path
    this.#threads = threads
    this.#options = options
  }

  /** Waits until no other transaction of this process writes here. */
  turn(): Promise<() => void> {
    return this.#turns.acquire()
  }

  read(sql: string, parameters: readonly unknown[]): SqliteResult {
    try {
      this.#reader ??= openSqlite(this.#path, { isReader: true })
      return this.#reader.run(sql, parameters)
    } catch (error) {
      throw storeFault(error)
    }
  }

  /** The same object until anybody writes. It is asked once a turn of the event loop, and after each change of ours. */
  state(): object {
    if (this.#isFresh) return this.#state
    const [row] = this.read('pragma data_version', []).rows as { data_version: number }[]
    if (row?.data_version !== this.#dataVersion) this.#state = {}
    this.#dataVersion = row?.data_version
    this.#isFresh = true
    setImmediate(this.#forget)
    return this.#state
  }

  readonly #forget = () => {
    this.#isFresh = false
  }

  /** For those who have the turn. */
  async write(sql: string, parameters: readonly unknown[] = [], isFirst = false): Promise<SqliteResult> {
    const work = { ...this.#task(), sql, parameters, isFirst }
    const result = await this.#threads.perform({ ...work, verb: 'run' }).finally(this.#forget)
    return result ?? { rows: [], changes: 0 }
  }

  /** The same for what begins something. It waits while another process writes, and leaves the thread to others. */
  async writeWhenFree(sql: string, parameters: readonly unknown[], begun: Begun): Promise<SqliteResult> {
    return whenFree(begun.askedAt, () => this.write(sql, parameters, begun.isTransaction))
  }

  /** A look tells whether there is anything to do, so that readers need not wait for the thread. */
  async migrate(): Promise<void> {
    const looking = { run: (sql: string, parameters: readonly unknown[]) => this.read(sql, parameters) }
    if (pendingSteps(looking, siteMigrations).length === 0) return
    await whenFree(performance.now(), () => this.#threads.perform({ ...this.#task(), verb: 'migrate' }))
  }

  /** Waits for the writer first: closing under a transaction would undo it. */
  async close(): Promise<void> {
    const release = await this.turn()
    try {
      this.#reader?.close()
      this.#reader = undefined
      // Another connection counts from the beginning.
      this.#dataVersion = undefined
      this.#forget()
      await this.#threads.perform({ ...this.#task(), verb: 'close' })
    } finally {
      release()
    }
  }

  /** For a draft whose rows are all there: closes it, and makes it survive a power cut. */
  async seal(): Promise<void> {
    await this.#threads.perform({ ...this.#task(), verb: 'seal' })
  }

  #task() {
    const { isDraft = false, generation } = this.#options
    return { path: this.#path, file: this.#number, isDraft, generation }
  }
}

type Writer = Pick<SqliteThreads, 'perform'>

interface Begun {
  askedAt: number
  /** Whether more is written before the commit. */
  isTransaction: boolean
}

interface FileOptions {
  isDraft?: boolean
  /** What the gate of a site's file must say, for those who write there. */
  generation?: number
}

let lastNumber = 0

function nextNumber(): number {
  lastNumber += 1
  return lastNumber
}

const patienceMs = 5_000
const pauseMs = 20

async function whenFree<T>(askedAt: number, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isBusyFault(error) || performance.now() - askedAt > patienceMs) throw error
    }
    await setTimeout(pauseMs)
  }
}

const files = new WeakMap<object, SqliteFile>()

/** Reads past Kysely. Nothing within a transaction, whose rows are read by the thread that writes them. */
export const readAtOnce = (db: object, sql: string, parameters: readonly unknown[]): unknown[] | undefined =>
  files.get(db)?.read(sql, parameters).rows

/** Whether a database is in a file: there one transaction writes at a time, from its first statement on, whatever that is. */
export const isInFile = (db: { getExecutor(): { adapter: object } }): boolean =>
  db.getExecutor().adapter instanceof FileAdapter

/** The same object for as long as nothing is written; nothing where that cannot be told without waiting. */
export const stateOf = (db: object): object | undefined => files.get(db)?.state()

export function kyselyOfFile<Tables>(file: SqliteFile): Kysely<Tables> {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new FileAdapter(),
      createDriver: () => new SqliteFileDriver(file),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  files.set(db, file)
  return db
}

/** Kysely lets one statement at a time into SQLite; our readers have a connection of their own and need not wait. */
class FileAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteFileDriver implements Driver {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async releaseConnection(): Promise<void> {}

  async acquireConnection(): Promise<SqliteSession> {
    return new SqliteSession(this.#file)
  }

  beginTransaction(session: SqliteSession): Promise<void> {
    return session.begin()
  }

  commitTransaction(session: SqliteSession): Promise<void> {
    return session.commit()
  }

  rollbackTransaction(session: SqliteSession): Promise<void> {
    return session.rollback()
  }
}

class SqliteSession implements DatabaseConnection {
  readonly #file: SqliteFile
  #endTurn: (() => void) | undefined
  #askedAt = 0
  #isBegun = false

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { rows, changes } = await this.#perform(query)
      return { rows: rows as R[], numAffectedRows: BigInt(changes) }
    } catch (error) {
      throw storeFault(error)
    }
  }

  // biome-ignore lint/correctness/useYield: rooms page through rows instead.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: page through the rows.')
  }

  /** The file is taken by the first statement, as rows are on PostgreSQL: so the two are one message to the thread. */
  async begin(): Promise<void> {
    this.#askedAt = performance.now()
    this.#endTurn = await this.#file.turn()
  }

  async commit(): Promise<void> {
    try {
      if (this.#isBegun) await this.#file.write('commit')
    } catch (error) {
      // The turn goes on: Kysely rolls back next.
      throw storeFault(error)
    }
    this.#end()
  }

  async rollback(): Promise<void> {
    try {
      if (this.#isBegun) await this.#file.write('rollback')
    } catch {
      // SQLite has rolled back by itself where the fault was grave.
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#isBegun = false
    this.#endTurn?.()
    this.#endTurn = undefined
  }

  async #perform({ sql, parameters, query }: CompiledQuery): Promise<SqliteResult> {
    if (this.#isBegun) return this.#file.write(sql, parameters)
    if (this.#endTurn) return this.#first(sql, parameters)
    if (SelectQueryNode.is(query)) return this.#file.read(sql, parameters)
    const askedAt = performance.now()
    const endTurn = await this.#file.turn()
    try {
      return await this.#file.writeWhenFree(sql, parameters, { askedAt, isTransaction: false })
    } finally {
      endTurn()
    }
  }

  async #first(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const begun = { askedAt: this.#askedAt, isTransaction: true }
    const result = await this.#file.writeWhenFree(sql, parameters, begun)
    this.#isBegun = true
    return result
  }
}
