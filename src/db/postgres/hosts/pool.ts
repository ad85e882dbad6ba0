import pg from 'pg'
import { MovingQueue } from '../../../lib/concurrency/moving-queue.ts'
import { retryInterfered, storeFault, storeUnavailable } from '../../faults.ts'
import type { PostgresHosts, Way } from './hosts.ts'

interface PoolOptions extends pg.PoolConfig {
  max: number
  connectionTimeoutMillis: number
  onConnect: (client: pg.ClientBase) => Promise<void>
}

/** A pool whose connections lead to the server that takes writes, whichever that is. */
export class HostPool {
  readonly #hosts: PostgresHosts
  readonly #pool: pg.Pool
  readonly #ways = new WeakMap<pg.ClientBase, Way>()
  readonly #queue: MovingQueue
  /** The way of new connections. */
  #way: Way | undefined

  constructor(hosts: PostgresHosts, onFault: (error: Error) => void, options: PoolOptions) {
    this.#hosts = hosts
    this.#queue = new MovingQueue({
      slots: options.max,
      mostWaiting: 1_000,
      stalledAfterMs: options.connectionTimeoutMillis,
      refusal: (reason) => storeUnavailable(new Error(`No connection to the database is free. ${reason}`)),
    })
    this.#pool = new pg.Pool({
      ...options,
      Client: this.#clientClass(),
      onConnect: async (client) => {
        const way = this.#ways.get(client)
        if (way) await hosts.checkRole(client, way)
        await options.onConnect(client)
      },
    })
    // A connection lost while idle is replaced at the next use.
    this.#pool.on('error', onFault)
    // A connection lost between two statements of a transaction fails the next one. An `error` event without a listener would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
  }

  /** Rejects with a refusal if no connection can be had. Callers wait in order while connections are returned. */
  async connect(): Promise<pg.PoolClient> {
    const slot = await this.#queue.acquire()
    try {
      const client = await this.#connect()
      const release = client.release.bind(client)
      client.release = (fault) => {
        if (!fault) slot.moved()
        release(fault)
        slot.release()
      }
      return client
    } catch (error) {
      slot.release()
      throw error
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const way = await this.#hosts.way()
    try {
      return await this.#connectOn(way)
    } catch (error) {
      this.#hosts.doubt(way)
      // With a single host, the caller has waited long enough for it.
      if (isExhausted(error) || !this.#hosts.isRoleChecked) throw unavailable(error)
      const next = await this.#hosts.way()
      if (next === way) throw unavailable(error)
      return await this.#connectOn(next).catch((again) => Promise.reject(unavailable(again)))
    }
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<Row>> {
    return retryInterfered(() => this.#query<Row>(text, values))
  }

  async #query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    const client = await this.connect()
    let fault: unknown
    try {
      return await client.query<Row>(text, values)
    } catch (error) {
      fault = storeFault(error)
      this.hear(client, error)
      throw fault
    } finally {
      client.release(fault !== undefined)
    }
  }

  /** The connection's error may mean that its server is no longer the one that takes writes. */
  hear(client: pg.ClientBase, error: unknown): void {
    const way = this.#ways.get(client)
    if (way && demotedCodes.test(String((error as { code?: unknown }).code))) this.#hosts.doubt(way)
  }

  /** How many connections it opens at most. */
  get most(): number {
    return this.#pool.options.max
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Connections of an earlier way lead to a server that may no longer be the right one. */
  async #connectOn(way: Way): Promise<pg.PoolClient> {
    for (;;) {
      this.#way = way
      const client = await this.#pool.connect()
      if (this.#ways.get(client) === way || !this.#hosts.isCurrent(way)) return client
      client.release(true)
    }
  }

  #clientClass(): new () => pg.ClientBase {
    const wayNow = () => this.#way
    const ways = this.#ways
    return class extends pg.Client {
      constructor(config: pg.ClientConfig = {}) {
        const way = wayNow()
        super(way ? { ...config, connectionString: way.host.url, ssl: way.tls } : config)
        if (way) ways.set(this, way)
      }
    }
  }
}

/** Read-only; shutting down, crashed, or not yet up. */
const demotedCodes = /^(25006|57P0[123])$/

/** All connections of the pool are in use, which says nothing of the server. */
const isExhausted = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Whatever keeps a connection from being made may pass: a wrong password, too, is corrected by the operator. */
function unavailable(error: unknown): unknown {
  const fault = storeFault(error)
  return fault === error ? storeUnavailable(error) : fault
}
