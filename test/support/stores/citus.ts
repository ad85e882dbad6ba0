import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type PostgresProxy, startPostgresProxy } from '../faults/postgres-proxy.ts'

/** A new database on the coordinator that TEST_CITUS_URL names and on all of its workers, joined to a cluster. */
export async function freshCitusDatabase(): Promise<{ url: string } & AsyncDisposable> {
  const coordinator = new URL(process.env.TEST_CITUS_URL ?? '')
  const nodes = await ask<{ host: string; port: number; isWorker: boolean }>(
    coordinator,
    `select nodename as host, nodeport as port, groupid > 0 as "isWorker" from pg_dist_node order by groupid`,
  )
  const name = `test_${randomBytes(8).toString('hex')}`
  const serverOf = (host: string, port: number) => {
    const url = new URL(coordinator)
    url.host = `${host}:${port}`
    return url
  }
  const databaseOf = (server: URL) => Object.assign(new URL(server), { pathname: name })
  const servers = nodes.map(({ host, port }) => serverOf(host, port))
  // One after the other: Citus would create the database on the workers only if it was told to.
  for (const server of servers) {
    await ask(server, `create database ${name}`)
    await ask(databaseOf(server), 'create extension citus')
  }
  const url = databaseOf(coordinator)
  // Of 35 tables: more shards take longer, and show no more.
  await ask(coordinator, `alter database ${name} set citus.shard_count = 4`)
  for (const { host, port, isWorker } of nodes) {
    const join = isWorker ? 'citus_add_node' : 'citus_set_coordinator_host'
    await ask(url, `select ${join}($1, $2)`, [host, port])
  }
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await ask(server, `drop database if exists ${name} with (force)`)
    },
  }
}

/** Leads the connections between coordinator and workers through proxies, until the end. */
export async function proxiesOfWorkers(
  url: string,
): Promise<{ proxies: readonly PostgresProxy[] } & AsyncDisposable> {
  await using undo = new AsyncDisposableStack()
  const coordinator = new URL(url)
  const reload = async (statement: string) => {
    await ask(coordinator, statement)
    await ask(coordinator, 'select pg_reload_conf()')
  }
  // A proxy reads no encrypted messages.
  await reload(`alter system set citus.node_conninfo = 'sslmode=disable'`)
  undo.defer(() => reload('alter system reset citus.node_conninfo'))
  const workers = await ask<{ id: number; host: string; port: number }>(
    coordinator,
    'select nodeid as id, nodename as host, nodeport as port from pg_dist_node where groupid > 0',
  )
  const proxies: PostgresProxy[] = []
  for (const { id, host, port } of workers) {
    const proxy = undo.use(await startPostgresProxy(`postgres://postgres@${host}:${port}/postgres`))
    await ask(coordinator, 'select citus_update_node($1, $2, $3)', [
      id,
      host,
      Number(new URL(proxy.url).port),
    ])
    proxies.push(proxy)
  }
  const all = undo.move()
  return { proxies, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

export async function ask<Row>(url: URL | string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: String(url) })
  await client.connect()
  try {
    return (await client.query(text, values)).rows as Row[]
  } finally {
    await client.end()
  }
}
