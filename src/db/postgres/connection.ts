import { createHash } from 'node:crypto'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, SelectQueryNode } from 'kysely'
import pg from 'pg'
import { LruMap } from '../../lib/lru.ts'
import { isConnectionLost, isSerializationFault, retryInterfered, storeFault } from '../faults.ts'
import type { PostgresHosts } from './hosts/hosts.ts'
import { HostPool } from './hosts/pool.ts'

/** Checks a statement before it is sent, and throws if it must not be. */
export type Guard = (query: CompiledQuery) => void

export const lockTimeoutMs = 5_000

/** In milliseconds; 0 is none. A process that hangs inside a transaction must not hold its locks for ever. */
const timeouts = {
  statement_timeout: 30_000,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: 30_000,
}

type Timeouts = typeof timeouts

const setTimeouts = (set: 'set' | 'set local', values: Timeouts) =>
  Object.entries(values)
    .map(([name, value]) => `${set} ${name} = ${value}`)
    .join('; ')

interface OpenedPool {
  onFault: (error: Error) => void
  most?: number
  timeouts?: Partial<Timeouts>
}

/** Connections to the server that takes writes. After a fail-over they are replaced when they are next used. */
export function openPool(
  hosts: PostgresHosts,
  { onFault, most = 10, timeouts: changes }: OpenedPool,
): HostPool {
  return new HostPool(hosts, onFault, {
    max: most,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // If the network drops packets silently, neither the server's time-out nor the end of the connection is heard of.
    query_timeout: 35_000,
    keepAlive: true,
    application_name: 'terrace',
    types: numbersAsNumbers,
    // Not by parameters of the start, which poolers refuse.
    onConnect: async (client) => {
      await client.query(setTimeouts('set', { ...timeouts, ...changes }))
    },
  })
}

/** Counters are bigint columns; their values stay below 2^53. */
const numbersAsNumbers: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(type, format),
}

/** Runs at the beginning of a writing transaction; throws if it may not write. */
export type WriteFence = (client: pg.ClientBase) => Promise<void>

interface PoolOptions {
  guard?: Guard
  /** For every transaction that writes. */
  writeFence?: WriteFence
  version?: RaisedVersion
  /** If the pool's connections are those of a pooler. */
  pooler?: Pooler | undefined
}

/** What a transaction raises if it has changed certain rows. */
export interface RaisedVersion {
  isRaisedBy: (query: CompiledQuery) => boolean
  /** Sent together with the commit. */
  statement: (client: pg.ClientBase) => string
}

export interface Pooler {
  /** Whether prepared statements work. */
  keepsStatements: boolean
}

export function kyselyOfPool<Tables>(pool: HostPool, options: PoolOptions = {}): Kysely<Tables> {
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
  readonly #pool: HostPool
  readonly #options: PoolOptions

  constructor(pool: HostPool, options: PoolOptions) {
    this.#pool = pool
    this.#options = options
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<PoolSession> {
    return new PoolSession(this.#pool, await this.#pool.connect(), this.#options)
  }

  async beginTransaction(session: PoolSession, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings
    const isolation = isolationLevel ? ['isolation level', isolationLevel] : []
    await session.begin(['begin', ...isolation, accessMode ?? ''].join(' '))
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
  readonly #pool: HostPool
  readonly #client: pg.PoolClient
  readonly #options: PoolOptions
  #isBroken = false
  #isLost = false
  #isInTransaction = false
  #raisesVersion = false

  constructor(pool: HostPool, client: pg.PoolClient, options: PoolOptions) {
    this.#pool = pool
    this.#client = client
    this.#options = options
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#options.guard?.(query)
    if (this.#isInTransaction) return this.#run(query)
    const isChecked = !this.#options.writeFence || SelectQueryNode.is(query.query)
    return retryInterfered(() => (isChecked ? this.#run<R>(query) : this.#runFenced<R>(query)))
  }

  /** A single writing statement gets a transaction, so that the fence cannot change between its check and the write. */
  async #runFenced<R>(query: CompiledQuery): Promise<QueryResult<R>> {
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
    this.#raisesVersion ||= this.#options.version?.isRaisedBy(query) === true
    const name = this.#nameOf(query.sql)
    const values = query.parameters as unknown[]
    const result = await this.#send({ ...(name !== undefined && { name }), text: query.sql, values })
    return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) }
  }

  #nameOf(text: string): string | undefined {
    if (this.#options.pooler?.keepsStatements === false) return undefined
    const name = statementName(text)
    const known = namesOf.get(this.#client)
    if (known) known.add(name)
    else namesOf.set(this.#client, new Set([name]))
    return name
  }

  // biome-ignore lint/correctness/useYield: callers page through rows instead.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: page through the rows.')
  }

  async begin(text: string): Promise<void> {
    // A pooler may give another connection for each transaction, on which another program may have set other time-outs.
    await this.#send({ text: this.#options.pooler ? `${text}; ${setTimeouts('set local', timeouts)}` : text })
    this.#isInTransaction = true
    this.#raisesVersion = false
    try {
      await this.#options.writeFence?.(this.#client)
    } catch (error) {
      this.#pool.onQueryError(this.#client, error)
      await this.rollback()
      throw storeFault(error)
    }
  }

  async commit(): Promise<void> {
    const last = this.#raisesVersion ? this.#options.version?.statement(this.#client) : undefined
    await this.#send({ text: last === undefined ? 'commit' : `${last}; commit` })
    this.#isInTransaction = false
  }

  async rollback(): Promise<void> {
    this.#isInTransaction = false
    // The server rolls back when the connection is lost; a `rollback` on a silent connection would only wait.
    if (this.#isLost) return
    await this.#send({ text: 'rollback' }).catch(() => {
      this.#isBroken = true
    })
  }

  release(): void {
    this.#client.release(this.#isBroken || (namesOf.get(this.#client)?.size ?? 0) > mostNames)
  }

  async #send(query: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(query)
    } catch (error) {
      this.#pool.onQueryError(this.#client, error)
      const fault = storeFault(error)
      if (fault !== error && !isSerializationFault(fault)) this.#isBroken = true
      if (isConnectionLost(fault)) this.#isLost = true
      throw fault
    }
  }
}

/**
 * Client and server keep every prepared statement until the connection ends. A connection with more than this, which only
 * statements that never repeat can cause, is replaced.
 */
const mostNames = 1_000
const namesOf = new WeakMap<pg.PoolClient, Set<string>>()

const names = new LruMap<string, string>(500)

/** Named statements are prepared once per connection. Servers that share the connections of a pooler give a text the same name. */
export function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `terrace_${createHash('sha256').update(text).digest('base64url').slice(0, 27)}`
    names.set(text, name)
  }
  return name
}
