import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, SelectQueryNode } from 'kysely'
import pg from 'pg'
import { LruMap } from '../lib/lru.ts'
import { isConnectionLost, storeFault } from './faults.ts'

/** Looks at a statement before it is sent. */
export type Guard = (query: CompiledQuery) => void

export const lockPatienceMs = 5_000

export function openPool(url: string, onFault: (error: Error) => void, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    // A line that has fallen silent tells no end of it, neither of its own nor the statement's.
    query_timeout: 35_000,
    lock_timeout: lockPatienceMs,
    // One that stands still in the middle of a change must not hold up all the others for good.
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'terrace',
    types: numbersAsNumbers,
    ...options,
  })
  // A connection lost while idle is replaced at the next use.
  pool.on('error', onFault)
  // One lost between two statements of a transaction: its holder learns it by the next one. Unheard it would end us.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Counters are 64 bits wide there; ours stay below 2^53. */
const numbersAsNumbers: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(type, format),
}

/** Looks in the transaction that has just begun whether it may go on to write. */
export type Gate = (client: pg.ClientBase) => Promise<void>

interface PoolOptions {
  guard?: Guard
  /** For all that writes. */
  gate?: Gate
}

export function kyselyOfPool<Tables>(pool: pg.Pool, options: PoolOptions = {}): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PoolDriver(pool, options),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

class PoolDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #options: PoolOptions

  constructor(pool: pg.Pool, options: PoolOptions) {
    this.#pool = pool
    this.#options = options
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<PoolSession> {
    try {
      return new PoolSession(await this.#pool.connect(), this.#options)
    } catch (error) {
      throw storeFault(error)
    }
  }

  async beginTransaction(session: PoolSession, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings
    await session.begin(
      ['begin', ...(isolationLevel ? ['isolation level', isolationLevel] : []), accessMode ?? ''].join(' '),
    )
  }

  async commitTransaction(session: PoolSession): Promise<void> {
    await session.commit()
  }

  async rollbackTransaction(session: PoolSession): Promise<void> {
    await session.rollback()
  }

  async releaseConnection(session: PoolSession): Promise<void> {
    session.release()
  }
}

class PoolSession implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #options: PoolOptions
  #isBroken = false
  #isLost = false
  #isInTransaction = false

  constructor(client: pg.PoolClient, options: PoolOptions) {
    this.#client = client
    this.#options = options
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#options.guard?.(query)
    const isFree = !this.#options.gate || this.#isInTransaction || SelectQueryNode.is(query.query)
    return isFree ? this.#run(query) : this.#runThroughGate(query)
  }

  /** A statement that writes by itself needs a transaction in which the gate stays as it was found. */
  async #runThroughGate<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    await this.begin('begin')
    try {
      const result = await this.#run<R>(query)
      await this.commit()
      return result
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async #run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.#send({
      name: statementName(query.sql),
      text: query.sql,
      values: query.parameters as unknown[],
    })
    return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) }
  }

  // biome-ignore lint/correctness/useYield: rooms page through rows instead.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: page through the rows.')
  }

  async begin(text: string): Promise<void> {
    await this.#send({ text })
    this.#isInTransaction = true
    try {
      await this.#options.gate?.(this.#client)
    } catch (error) {
      await this.rollback()
      throw storeFault(error)
    }
  }

  async commit(): Promise<void> {
    await this.#send({ text: 'commit' })
    this.#isInTransaction = false
  }

  async rollback(): Promise<void> {
    this.#isInTransaction = false
    // A connection that is gone has rolled back already, and one that is silent would not say so.
    if (this.#isLost) return
    await this.#send({ text: 'rollback' }).catch(() => {
      this.#isBroken = true
    })
  }

  release(): void {
    this.#client.release(this.#isBroken)
  }

  async #send(query: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(query)
    } catch (error) {
      const fault = storeFault(error)
      if (fault !== error) this.#isBroken = true
      if (isConnectionLost(fault)) this.#isLost = true
      throw fault
    }
  }
}

const names = new LruMap<string, string>(500)
let lastName = 0

/** Statements that come again are prepared once a connection; a name is never used for a second text. */
function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    lastName += 1
    name = `terrace_${lastName}`
    names.set(text, name)
  }
  return name
}
