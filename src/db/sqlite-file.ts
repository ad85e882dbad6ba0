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
  readonly #threads: SqliteThreads
  readonly #isDraft: boolean
  readonly #turns = new Mutex()
  #reader: SqliteConnection | undefined

  constructor(path: string, threads: SqliteThreads, isDraft = false) {
    this.#path = path
    this.#threads = threads
    this.#isDraft = isDraft
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

  /** For those who have the turn. */
  async write(sql: string, parameters: readonly unknown[] = []): Promise<SqliteResult> {
    const work = { path: this.#path, isDraft: this.#isDraft, sql, parameters }
    const result = await this.#threads.perform({ ...work, verb: 'run' })
    return result ?? { rows: [], changes: 0 }
  }

  /** The same for what begins something. It waits while another process writes, and leaves the thread to others. */
  async writeWhenFree(sql: string, parameters: readonly unknown[], askedAt: number): Promise<SqliteResult> {
    return whenFree(askedAt, () => this.write(sql, parameters))
  }

  /** A look tells whether there is anything to do, so that readers need not wait for the thread. */
  async migrate(): Promise<void> {
    const looking = { run: (sql: string, parameters: readonly unknown[]) => this.read(sql, parameters) }
    if (pendingSteps(looking, siteMigrations).length === 0) return
    const task = { path: this.#path, isDraft: this.#isDraft, verb: 'migrate' } as const
    await whenFree(performance.now(), () => this.#threads.perform(task))
  }

  /** Waits for the writer first: closing under a transaction would undo it. */
  async close(): Promise<void> {
    const release = await this.turn()
    try {
      this.#reader?.close()
      this.#reader = undefined
      await this.#threads.perform({ path: this.#path, isDraft: this.#isDraft, verb: 'close' })
    } finally {
      release()
    }
  }
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

export function kyselyOfFile<Tables>(file: SqliteFile): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new FileAdapter(),
      createDriver: () => new SqliteFileDriver(file),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
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

  async begin(): Promise<void> {
    const askedAt = performance.now()
    const endTurn = await this.#file.turn()
    try {
      await this.#file.writeWhenFree('begin immediate', [], askedAt)
      this.#endTurn = endTurn
    } catch (error) {
      endTurn()
      throw storeFault(error)
    }
  }

  async commit(): Promise<void> {
    try {
      await this.#file.write('commit')
    } catch (error) {
      // The turn goes on: Kysely rolls back next.
      throw storeFault(error)
    }
    this.#endTurn?.()
    this.#endTurn = undefined
  }

  async rollback(): Promise<void> {
    try {
      await this.#file.write('rollback')
    } catch {
      // SQLite has rolled back by itself where the fault was grave.
    } finally {
      this.#endTurn?.()
      this.#endTurn = undefined
    }
  }

  async #perform({ sql, parameters, query }: CompiledQuery): Promise<SqliteResult> {
    if (this.#endTurn) return this.#file.write(sql, parameters)
    if (SelectQueryNode.is(query)) return this.#file.read(sql, parameters)
    const askedAt = performance.now()
    const endTurn = await this.#file.turn()
    try {
      return await this.#file.writeWhenFree(sql, parameters, askedAt)
    } finally {
      endTurn()
    }
  }
}
