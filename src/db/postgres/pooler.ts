import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Refusal } from '../../lib/refusal.ts'
import { storeFault } from '../faults.ts'
import type { PostgresAddress } from './hosts/address.ts'
import type { PostgresHosts } from './hosts/hosts.ts'
import type { HostPool } from './hosts/pool.ts'

const connectMs = 5_000

const connect = (hosts: PostgresHosts): Promise<pg.Client> =>
  hosts.connect({ connectionTimeoutMillis: connectMs, query_timeout: connectMs })

const end = (client: pg.Client) => client.end().catch(() => undefined)

async function backendOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

/** A pooler is recognised by the process id that it gave at the start, which is not the one that PostgreSQL names. */
async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { processID } = client as pg.ClientBase & { processID?: number | null }
  return processID !== (await backendOf(client))
}

/**
 * Refuses a direct URL that leads to another database, before anything is created in it. A lock by number is seen in its own
 * database only, through any hostname and any pooler; no other program uses this number.
 */
export async function refuseOtherDatabase({ hosts, sessionHosts }: PostgresAddress): Promise<void> {
  if (hosts === sessionHosts) return
  const number = randomBytes(8).readBigInt64BE()
  const direct = await connect(sessionHosts)
  try {
    await direct.query('begin')
    await direct.query('select pg_advisory_xact_lock($1)', [number])
    const main = await connect(hosts)
    try {
      const { rows } = await main.query<{ isFree: boolean }>(
        'select pg_try_advisory_xact_lock($1) as "isFree"',
        [number],
      )
      if (rows[0]?.isFree) throw otherDatabase()
    } finally {
      await end(main)
    }
  } catch (error) {
    throw storeFault(error)
  } finally {
    await end(direct)
  }
}

const otherDatabase = () =>
  new Refusal(
    'conflict',
    'other-database',
    'SERVICE_DATABASE_DIRECT_URL leads to another database than SERVICE_DATABASE_URL. Nothing was created in it. Correct the host, the port or the name of the database: both must lead to the same one.',
  )

/** So long the start waits for connections that a pooler does not give. */
const mostMeasureMs = 3_000

/** A warning if a pooler gives fewer connections than the pools open at most; `others` more belong to this process. */
export async function poolShortage(pools: readonly HostPool[], others: number): Promise<string | undefined> {
  const [first] = pools
  const client = await first?.connect()
  const isBehindPooler = client && (await isPooled(client).finally(() => client.release()))
  if (!isBehindPooler) return undefined
  const opening = pools.flatMap((pool) => Array.from({ length: pool.most }, () => pool.connect()))
  const isLate = sleep(mostMeasureMs, false, { ref: false })
  const isOpened = (each: Promise<pg.PoolClient>) => each.then(() => true).catch(() => false)
  // All are held until all are counted.
  const opened = await Promise.all(opening.map((each) => Promise.race([isOpened(each), isLate])))
  for (const each of opening) void each.then((held) => held.release(true)).catch(() => undefined)
  const wanted = opening.length + others
  const granted = opened.filter(Boolean).length + others
  if (granted === wanted) return undefined
  return `The pooler in front of the database gave ${granted} of the ${wanted} connections that this server opens at most, within ${mostMeasureMs / 1_000} seconds. Under load, requests will wait and be answered 503. Give PgBouncer in session mode a default_pool_size of at least ${wanted} for each server and worker, or use transaction mode with SERVICE_DATABASE_DIRECT_URL.`
}

/**
 * Refuses a pooler that assigns connections per transaction: a migration's lock would stay behind on one of its connections.
 * While this client holds no transaction, such a pooler gives the same connection to another client.
 */
export async function refuseTransactionPooler(client: pg.Client, hosts: PostgresHosts): Promise<void> {
  if (!(await isPooled(client))) return
  const backend = await backendOf(client)
  const second = await connect(hosts)
  try {
    if ((await backendOf(second)) === backend) throw needsDirectUrl()
  } finally {
    await end(second)
  }
}

const needsDirectUrl = () =>
  new Refusal(
    'unavailable',
    'needs-direct-url',
    "A pooler in transaction mode is in front of this database. Migrations, locks and notifications need connections of their own: set SERVICE_DATABASE_DIRECT_URL to the URL of PostgreSQL itself. A tenant's own database must be reached directly, or through a pooler in session mode.",
  )

/** So many connections of a busy pooler are held at most until the probe is conclusive. */
const mostHolders = 8

/**
 * Whether a pooler prepares a statement again on the connection that a client is given next: PgBouncer does from version
 * 1.21 on, with `max_prepared_statements`. Other clients hold connections until one holds that on which the statement was
 * prepared. False if that could not be found out: statements without names always work.
 */
export async function keepsStatements(hosts: PostgresHosts): Promise<boolean> {
  const probe = await connect(hosts)
  const holders: pg.Client[] = []
  const statement = { name: `terrace_probe_${randomUUID()}`, text: 'select pg_backend_pid() as pid' }
  const run = async () => (await probe.query<{ pid: number }>(statement)).rows[0]?.pid
  try {
    const first = await run()
    for (let held: number | undefined; held !== first; ) {
      if (holders.length === mostHolders) return false
      const holder = await connect(hosts)
      holders.push(holder)
      await holder.query('begin')
      held = await backendOf(holder)
    }
    return (await run()) !== first
  } catch {
    return false
  } finally {
    await Promise.all([probe, ...holders].map(end))
  }
}
