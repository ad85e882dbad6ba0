import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { SelectQueryNode } from 'kysely'
import { isDeferred } from '../deferred.ts'
import { storeFault } from '../faults.ts'
import type { SqliteResult } from './connection.ts'
import type { Statement } from './group-commit.ts'

export interface WriteOptions {
  /** Whether the statement begins a transaction. */
  isFirst?: boolean
  /** Statements of the same transaction to run before it, in the same message. */
  before?: readonly Statement[]
}

export interface Begun {
  askedAt: number
  /** Whether more statements follow before the commit. */
  isTransaction: boolean
}

/** What a session needs of its file. */
export interface SessionFile {
  lock(): Promise<() => void>
  read(sql: string, parameters: readonly unknown[]): SqliteResult
  write(sql: string, parameters?: readonly unknown[], options?: WriteOptions): Promise<SqliteResult>
  writeWhenFree(sql: string, parameters: readonly unknown[], begun: Begun): Promise<SqliteResult>
}

export class SqliteFileDriver implements Driver {
  readonly #file: SessionFile

  constructor(file: SessionFile) {
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
  readonly #file: SessionFile
  #unlock: (() => void) | undefined
  #askedAt = 0
  #isBegun = false
  /** Statements of the transaction that go to the thread with the next one. */
  #deferred: Statement[] = []

  constructor(file: SessionFile) {
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

  // biome-ignore lint/correctness/useYield: callers page through rows instead.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: page through the rows.')
  }

  /** Only takes the lock: `begin` goes to the thread in one message with the first statement. */
  async begin(): Promise<void> {
    this.#askedAt = performance.now()
    this.#unlock = await this.#file.lock()
  }

  async commit(): Promise<void> {
    try {
      if (this.#isBegun) await this.#file.write('commit', [], { before: this.#takeDeferred() })
    } catch (error) {
      // Keeps the lock: Kysely rolls back next.
      throw storeFault(error)
    }
    this.#end()
  }

  async rollback(): Promise<void> {
    try {
      if (this.#isBegun) await this.#file.write('rollback')
    } catch {
      // After a severe error SQLite has already rolled back.
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#isBegun = false
    this.#deferred = []
    this.#unlock?.()
    this.#unlock = undefined
  }

  #takeDeferred(): readonly Statement[] {
    const statements = this.#deferred
    this.#deferred = []
    return statements
  }

  async #perform(query: CompiledQuery): Promise<SqliteResult> {
    const { sql, parameters } = query
    if (this.#isBegun && isDeferred(query)) {
      this.#deferred.push({ sql, parameters })
      return { rows: [], changes: 0 }
    }
    if (this.#isBegun) return this.#file.write(sql, parameters, { before: this.#takeDeferred() })
    if (this.#unlock) return this.#first(sql, parameters)
    if (SelectQueryNode.is(query.query)) return this.#file.read(sql, parameters)
    const askedAt = performance.now()
    const unlock = await this.#file.lock()
    try {
      return await this.#file.writeWhenFree(sql, parameters, { askedAt, isTransaction: false })
    } finally {
      unlock()
    }
  }

  async #first(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const begun = { askedAt: this.#askedAt, isTransaction: true }
    const result = await this.#file.writeWhenFree(sql, parameters, begun)
    this.#isBegun = true
    return result
  }
}
