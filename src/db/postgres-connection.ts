import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { LruMap } from '../lib/lru.ts'
import { storeFault } from './faults.ts'

/** Looks at a statement before it is sent. */
export type Guard = (query: CompiledQuery) => void

export const lockPatienceMs = 5_000

export function openPool(url: string, onFault: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    lock_timeout: lockPatienceMs,
    // One that stands still in the middle of a change must not hold up all the others for good.
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'terrace',
    types: numbersAsNumbers,
  })
  // A connection lost while idle is replaced at the next use.
  pool.on('error', onFault)
  return pool
}

/** Counters are 64 bits wide there; ours stay below 2^53. */
const numbersAsNumbers: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(type, format),
}

export function kyselyOfPool<Tables>(pool: pg.Pool, guard: Guard = () => undefined): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PoolDriver(pool, guard),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

class PoolDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #guard: Guard

  constructor(pool: pg.Pool, guard: Guard) {
    this.#pool = pool
    this.#guard = guard
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<PoolSession> {
    try {
      return new PoolSession(await this.#pool.connect(), this.#guard)
    } catch (error) {
      throw storeFault(error)
    }
  }

  async beginTransaction(session: PoolSession): Promise<void> {
    await session.command('begin')
  }

  async commitTransaction(session: PoolSession): Promise<void> {
    await session.command('commit')
  }

  async rollbackTransaction(session: PoolSession): Promise<void> {
    // A connection that is gone has rolled back already.
    await session.command('rollback').catch(() => session.markBroken())
  }

  async releaseConnection(session: PoolSession): Promise<void> {
    session.release()
  }
}

class PoolSession implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #guard: Guard
  #isBroken = false

  constructor(client: pg.PoolClient, guard: Guard) {
    this.#client = client
    this.#guard = guard
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#guard(query)
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

  async command(text: string): Promise<void> {
    await this.#send({ text })
  }

  markBroken(): void {
    this.#isBroken = true
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
