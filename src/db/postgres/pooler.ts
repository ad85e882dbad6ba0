import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { Refusal } from '../../lib/refusal.ts'
import type { PostgresHosts } from './hosts/hosts.ts'

const connectMs = 5_000

const connect = (hosts: PostgresHosts): Promise<pg.Client> =>
  hosts.connect({ connectionTimeoutMillis: connectMs, query_timeout: connectMs })

const end = (client: pg.Client) => client.end().catch(() => undefined)

async function backendOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

/**
 * Refuses a pooler that assigns connections per transaction: a migration's lock would stay behind on one of its connections.
 * A pooler is told by the process id that it gave at the start, which is not the one that PostgreSQL names. While this
 * client holds no transaction, such a pooler gives the same connection to another client.
 */
export async function refuseTransactionPooler(client: pg.Client, hosts: PostgresHosts): Promise<void> {
  const { processID } = client as pg.Client & { processID?: number | null }
  const backend = await backendOf(client)
  if (processID === backend) return
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
