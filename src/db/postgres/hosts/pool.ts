import pg from 'pg'
import { MovingQueue } from '../../../lib/concurrency/moving-queue.ts'
import { retryInterfered, storeFault, storeUnavailable } from '../../faults.ts'
import type { FoundServer, PostgresHosts } from './hosts.ts'

interface PoolOptions extends pg.PoolConfig {
  max: number
  connectionTimeoutMillis: number
  onConnect: (client: pg.ClientBase) => Promise<void>
}

/** A pool whose connections lead to the server that takes writes, whichever that is. */
export class HostPool {
  readonly #hosts: PostgresHosts
  readonly #pool: pg.Pool
  readonly #servers = new WeakMap<pg.ClientBase, FoundServer>()
  readonly #queue: MovingQueue
  /** Where new connections go. */
  #server: FoundServer | undefined

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
        const server = this.#servers.get(client)
        if (server) await hosts.checkRole(client, server)
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
    const server = await this.#hosts.findServer()
    try {
      return await this.#connectOn(server)
    } catch (error) {
      this.#hosts.doubt(server)
      // With a single host, the caller has waited long enough for it.
      if (isExhausted(error) || !this.#hosts.isRoleChecked) throw unavailable(error)
      const next = await this.#hosts.findServer()
      if (next === server) throw unavailable(error)
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
      this.onQueryError(client, error)
      throw fault
    } finally {
      client.release(fault !== undefined)
    }
  }

  /** The connection's error may mean that its server is no longer the one that takes writes. */
  onQueryError(client: pg.ClientBase, error: unknown): void {
    const server = this.#servers.get(client)
    if (server && demotedCodes.test(String((error as { code?: unknown }).code))) this.#hosts.doubt(server)
  }

  /** How many connections it opens at most. */
  get most(): number {
    return this.#pool.options.max
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Older connections lead to a server that may no longer be the right one. */
  async #connectOn(server: FoundServer): Promise<pg.PoolClient> {
    for (;;) {
      this.#server = server
      const client = await this.#pool.connect()
      if (this.#servers.get(client) === server || !this.#hosts.isCurrent(server)) return client
      client.release(true)
    }
  }

  #clientClass(): new () => pg.ClientBase {
    const serverNow = () => this.#server
    const servers = this.#servers
    return class extends pg.Client {
      constructor(config: pg.ClientConfig = {}) {
        const server = serverNow()
        super(server ? { ...config, connectionString: server.host.url, ssl: server.tls } : config)
        if (server) servers.set(this, server)
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
