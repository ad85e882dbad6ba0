import { until } from '../until.ts'
import { ask } from './citus.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

export interface PostgresPair extends AsyncDisposable {
  one: PostgresServer
  two: PostgresServer
  /** A URL of both, `one` first. */
  url(parameters: string): string
  /** Makes the server, which was a primary and is ended, a standby of the other. */
  follow(server: PostgresServer, primary: PostgresServer): Promise<void>
}

/** What is acknowledged is on both, as long as both run. */
const settings = ['synchronous_commit=on', 'wal_keep_size=256MB']

/** A PostgreSQL and its standby, by default a synchronous one. */
export async function startPostgresPair({ isSynchronous = true } = {}): Promise<PostgresPair> {
  await using undo = new AsyncDisposableStack()
  const one = undo.use(await startPostgres(settings))
  await one.end('SIGINT')
  const two = undo.use(
    await startPostgres([...settings, `--standby-of=${one.folder}`, `primary_conninfo=${conninfo(one)}`]),
  )
  await one.start()
  if (isSynchronous) await waitForCommits(one)
  const all = undo.move()
  return {
    one,
    two,
    url: (parameters) => {
      const [first, second] = [new URL(one.url), new URL(two.url)]
      return `postgres://postgres@${first.host},${second.host}/postgres?${parameters}`
    },
    async follow(server, primary) {
      await server.start([`primary_conninfo=${conninfo(primary)}`])
      // Else it would wait for a standby of its own once it is promoted.
      await ask(server.url, 'alter system reset synchronous_standby_names')
      await ask(server.url, 'select pg_reload_conf()')
      await waitForCommits(primary)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** From now on a commit is acknowledged when the standby has it. */
async function waitForCommits(primary: PostgresServer): Promise<void> {
  await ask(primary.url, `alter system set synchronous_standby_names = '*'`)
  await ask(primary.url, 'select pg_reload_conf()')
  const isSynchronous = async () =>
    (await ask(primary.url, `select from pg_stat_replication where sync_state = 'sync'`)).length > 0
  await until(isSynchronous, 'the standby follows')
}

export const promote = (server: PostgresServer) => ask(server.url, 'select pg_promote()')

function conninfo({ url }: PostgresServer): string {
  const { hostname, port } = new URL(url)
  return `host=${hostname} port=${port} user=postgres`
}
