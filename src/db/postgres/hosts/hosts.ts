import pg from 'pg'
import { storeUnavailable } from '../../faults.ts'
import { mayWorkOtherwise, type Tls, tlsAttempts, tlsFault } from './tls.ts'
import { type PostgresHost, type PostgresUrl, parsePostgresUrl } from './url.ts'

/** How to reach the server that was found to be the right one. */
export interface Way {
  host: PostgresHost
  tls: Tls
  /** A standby that answers reads while no server takes writes. */
  isStandIn: boolean
  foundAt: number
}

interface Connected {
  client: pg.Client
  way: Way
}

interface ConnectOptions extends pg.ClientConfig {
  connectionTimeoutMillis: number
  /** Whether a standby will do while no server takes writes, if the URL allows it. */
  isForReading?: boolean
}

/** All hosts are asked at once. A silent one must not take all the time that a caller waits for a connection. */
const mostMsOfMany = 2_500
/** A way that was found within this time is not doubted: a server that refuses is not asked again for each request. */
const trustedMs = 1_000

const roleOf = `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`

interface Role {
  isStandby: boolean
  isReadOnly: boolean
}

/** The servers that one URL names, and which of them was found to take writes. */
export class PostgresHosts {
  readonly #url: PostgresUrl
  #way: Way | undefined
  #isDoubted = false
  #finding: Promise<void> | undefined

  constructor(url: string) {
    try {
      this.#url = parsePostgresUrl(url)
    } catch (error) {
      throw storeUnavailable(new Error(`The URL of the database ${(error as Error).message}`))
    }
  }

  /** Whether the role of a server matters. With one host and `any`, callers get what there is. */
  get isRoleChecked(): boolean {
    return this.#url.hosts.length > 1 || this.#url.target !== 'any'
  }

  /** A connection of its own to the right server. Rejects with a refusal that names why each host was not taken. */
  async connect({ isForReading = false, ...options }: ConnectOptions): Promise<pg.Client> {
    const { client, way } = await this.#connectFirst(options, isForReading)
    if (!way.isStandIn) this.#take(way)
    return client
  }

  /** The way that connections of a pool take. */
  async way(): Promise<Way> {
    if (!this.#way || this.#isDoubted) await this.#findShared()
    else if (this.#way.isStandIn && !isFresh(this.#way))
      // Reads go on meanwhile.
      void this.#findShared().catch(() => undefined)
    return this.#way as Way
  }

  isCurrent(way: Way): boolean {
    return way === this.#way
  }

  /** A connection on this way was refused or cannot write: look for the right server before the next one. */
  doubt(way: Way): void {
    if (this.isCurrent(way) && !isFresh(way)) this.#isDoubted = true
  }

  /** Throws if the server of this connection is not what the way was found to be. */
  async checkRole(client: pg.ClientBase, way: Way): Promise<void> {
    if (!this.isRoleChecked || way.isStandIn) return
    const fault = this.#roleFault(await readRole(client))
    if (fault !== undefined) throw storeUnavailable(new Error(`PostgreSQL at ${way.host.name}: ${fault}`))
  }

  #findShared(): Promise<void> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined
    })
    return this.#finding
  }

  async #find(): Promise<void> {
    const options = { application_name: 'terrace-find', connectionTimeoutMillis: 5_000, query_timeout: 5_000 }
    const { client, way } = await this.#connectFirst(options, true)
    void client.end().catch(() => undefined)
    this.#take(way)
  }

  #take(way: Way): void {
    const isSame = way.isStandIn && this.#way?.isStandIn && this.#way.host === way.host
    if (isSame && this.#way) this.#way.foundAt = way.foundAt
    else if (!this.#way || this.#isDoubted || this.#way.isStandIn) this.#way = way
    this.#isDoubted = false
  }

  /** All are asked at once; the first in the order of the URL that takes writes is chosen, as by all servers of an installation. */
  async #connectFirst(options: pg.ClientConfig, isForReading: boolean): Promise<Connected> {
    const { hosts, target } = this.#url
    const answers = hosts.map((host) => this.#connectTo(host, options).catch((error: Error) => error))
    const faults: string[] = []
    let chosen: Connected | undefined
    for (const answer of answers) {
      const found = await answer
      if (found instanceof Error) faults.push(found.message)
      else if (found.fault !== undefined) faults.push(`PostgreSQL at ${found.way.host.name}: ${found.fault}`)
      else chosen ??= found
      if (chosen) break
    }
    const mayStandIn = !chosen && isForReading && target === 'any'
    for (const answer of mayStandIn ? answers : []) {
      const found = await answer
      if (!(found instanceof Error))
        chosen ??= { client: found.client, way: { ...found.way, isStandIn: true } }
    }
    for (const answer of answers) void answer.then((found) => closeUnless(chosen, found))
    if (!chosen) throw storeUnavailable(new Error(faults.join('; ')))
    return chosen
  }

  async #connectTo(
    host: PostgresHost,
    options: pg.ClientConfig,
  ): Promise<Connected & { fault?: string | undefined }> {
    const { tls: settings, hosts } = this.#url
    const most = hosts.length > 1 ? mostMsOfMany : Number.POSITIVE_INFINITY
    const connectionTimeoutMillis = Math.min(most, options.connectionTimeoutMillis ?? most)
    try {
      const { client, tls } = await connectInTurn(await tlsAttempts(settings), (ssl) =>
        openClient({ ...options, connectionTimeoutMillis, connectionString: host.url, ssl }),
      )
      const way = { host, tls, isStandIn: false, foundAt: performance.now() }
      if (!this.isRoleChecked) return { client, way }
      const role = await readRole(client).catch(async (error) => {
        await client.end().catch(() => undefined)
        throw error
      })
      return { client, way, fault: this.#roleFault(role) }
    } catch (error) {
      throw namedFault(host, tlsFault(error as Error, settings), error)
    }
  }

  #roleFault({ isStandby, isReadOnly }: Role): string | undefined {
    if (isStandby) return 'it is a standby'
    return isReadOnly && this.#url.target !== 'primary' ? 'it is read-only' : undefined
  }
}

const isFresh = ({ foundAt }: Way) => performance.now() - foundAt < trustedMs

async function readRole(client: pg.ClientBase): Promise<Role> {
  const { rows } = await client.query<Role>(roleOf)
  return rows[0] ?? { isStandby: true, isReadOnly: true }
}

async function connectInTurn(
  attempts: readonly Tls[],
  open: (tls: Tls) => Promise<pg.Client>,
): Promise<{ client: pg.Client; tls: Tls }> {
  const [tls = false, ...others] = attempts
  try {
    return { client: await open(tls), tls }
  } catch (error) {
    if (others.length === 0 || !mayWorkOtherwise(error as Error)) throw error
    return connectInTurn(others, open)
  }
}

async function openClient(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  // An `error` event without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}

function closeUnless(chosen: Connected | undefined, found: Connected | Error): void {
  if (!(found instanceof Error) && found.client !== chosen?.client)
    void found.client.end().catch(() => undefined)
}

function namedFault(host: PostgresHost, message: string, cause: unknown): Error {
  const errors = cause instanceof AggregateError ? cause.errors : []
  const text = message || errors.map((error) => String(error.message)).join(', ')
  return new Error(`PostgreSQL at ${host.name}: ${text}`)
}
