import pg from 'pg'
import { storeUnavailable } from '../../faults.ts'
import { mayWorkOtherwise, type Tls, tlsAttempts, tlsFault } from './tls.ts'
import { type PostgresHost, type PostgresUrl, parsePostgresUrl } from './url.ts'

/** How to reach the server that was found to be the right one. */
export interface FoundServer {
  host: PostgresHost
  tls: Tls
  /** A standby that answers reads while no server takes writes. */
  isFallback: boolean
  foundAt: number
}

interface Connected {
  client: pg.Client
  server: FoundServer
}

interface ConnectOptions extends pg.ClientConfig {
  connectionTimeoutMillis: number
  /** Whether a standby will do while no server takes writes, if the URL allows it. */
  isForReading?: boolean
}

/** All hosts are asked at once. A silent one must not take all the time that a caller waits for a connection. */
const mostMsOfMany = 2_500
/** A server that was found within this time is not doubted: a server that refuses is not asked again for each request. */
const trustedMs = 1_000

const roleOf = `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`

interface Role {
  isStandby: boolean
  isReadOnly: boolean
}

/** The servers that one URL names, and which of them was found to take writes. */
export class PostgresHosts {
  readonly #url: PostgresUrl
  #server: FoundServer | undefined
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
    const { client, server } = await this.#connectFirst(options, isForReading)
    if (!server.isFallback) this.#take(server)
    return client
  }

  /** The server for the connections of a pool. */
  async findServer(): Promise<FoundServer> {
    if (!this.#server || this.#isDoubted) await this.#findShared()
    else if (this.#server.isFallback && !isFresh(this.#server))
      // Reads go on meanwhile.
      void this.#findShared().catch(() => undefined)
    return this.#server as FoundServer
  }

  isCurrent(server: FoundServer): boolean {
    return server === this.#server
  }

  /** A connection to this server was refused or cannot write: look for the right server before the next one. */
  doubt(server: FoundServer): void {
    if (this.isCurrent(server) && !isFresh(server)) this.#isDoubted = true
  }

  /** Throws if the server of this connection has another role than when it was found. */
  async checkRole(client: pg.ClientBase, server: FoundServer): Promise<void> {
    if (!this.isRoleChecked || server.isFallback) return
    const fault = this.#roleFault(await readRole(client))
    if (fault !== undefined) throw storeUnavailable(new Error(`PostgreSQL at ${server.host.name}: ${fault}`))
  }

  #findShared(): Promise<void> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined
    })
    return this.#finding
  }

  async #find(): Promise<void> {
    const options = { application_name: 'terrace-find', connectionTimeoutMillis: 5_000, query_timeout: 5_000 }
    const { client, server } = await this.#connectFirst(options, true)
    void client.end().catch(() => undefined)
    this.#take(server)
  }

  #take(server: FoundServer): void {
    const isSame = server.isFallback && this.#server?.isFallback && this.#server.host === server.host
    if (isSame && this.#server) this.#server.foundAt = server.foundAt
    else if (!this.#server || this.#isDoubted || this.#server.isFallback) this.#server = server
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
      else if (found.fault !== undefined)
        faults.push(`PostgreSQL at ${found.server.host.name}: ${found.fault}`)
      else chosen ??= found
      if (chosen) break
    }
    const mayFallBack = !chosen && isForReading && target === 'any'
    for (const answer of mayFallBack ? answers : []) {
      const found = await answer
      if (!(found instanceof Error))
        chosen ??= { client: found.client, server: { ...found.server, isFallback: true } }
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
      const server = { host, tls, isFallback: false, foundAt: performance.now() }
      if (!this.isRoleChecked) return { client, server }
      const role = await readRole(client).catch(async (error) => {
        await client.end().catch(() => undefined)
        throw error
      })
      return { client, server, fault: this.#roleFault(role) }
    } catch (error) {
      throw namedFault(host, tlsFault(error as Error, settings), error)
    }
  }

  #roleFault({ isStandby, isReadOnly }: Role): string | undefined {
    if (isStandby) return 'it is a standby'
    return isReadOnly && this.#url.target !== 'primary' ? 'it is read-only' : undefined
  }
}

const isFresh = ({ foundAt }: FoundServer) => performance.now() - foundAt < trustedMs

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
