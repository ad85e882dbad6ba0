import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, sendRequest } from '../harness.ts'
import { runHere } from '../tool.ts'
import type { TestTenant } from '../uploads.ts'
import { type ChildServer, startChildServer } from './child-server.ts'

/** An installation on several server processes, each with a data folder of its own. */
export interface Cluster extends AsyncDisposable {
  servers: ChildServer[]
  /** Starts one more; it is not one of `servers` and belongs to the caller. */
  start(options?: { environment?: Record<string, string>; through?: readonly string[] }): Promise<ChildServer>
  /** The tool, with `--json`. */
  tool(...words: string[]): Promise<any>
  tenant(id: string): Promise<TestTenant>
  stats(id: string): Promise<Record<string, number>>
}

interface Backends {
  databaseUrl: string
  /** Without one, each keeps files of its own. */
  storageUrl?: string
  more?: Record<string, string>
}

export async function startCluster(
  count: number,
  { databaseUrl, storageUrl, more }: Backends,
): Promise<Cluster> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'terrace-cluster-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  let folders = 0
  const environmentOf = () => ({
    PATH: process.env.PATH ?? '',
    SERVICE_DATA_DIR: join(folder, String(folders++)),
    SERVICE_DATABASE_URL: databaseUrl,
    ...(storageUrl !== undefined && { SERVICE_STORAGE_URL: storageUrl }),
    SERVICE_TENANTS_API_REQUEST_SECRET: 'a secret of some length',
    SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    SERVICE_LOG_LEVEL: 'warn',
    ...more,
  })
  const toolEnvironment = environmentOf()
  const start: Cluster['start'] = ({ environment, through } = {}) =>
    startChildServer({ ...environmentOf(), ...environment }, through)
  // Started simultaneously: the first server creates the tables.
  const servers = await Promise.all(Array.from({ length: count }, () => start()))
  for (const server of servers) undo.use(server)
  const tool = async (...words: string[]) => {
    const { code, out, err } = await runHere([...words, '--json'], toolEnvironment)
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${err}`)
    return out === '' ? undefined : JSON.parse(out)
  }
  const all = undo.move()
  return {
    servers,
    start,
    tool,
    async tenant(id) {
      const hostname = `${id}.test`
      await tool('tenants', 'create', '--id', id, '--hostname', hostname)
      const account = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
      const { api_key: apiKey } = await tool('tenants', 'install', '--id', id, ...account)
      return { id, hostname, apiKey }
    },
    stats: async (id) => (await tool('tenants', 'get', '--id', id)).stats,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export const isReady = async ({ port }: ChildServer): Promise<boolean> =>
  (await sendRequest(port, 'GET', '/_/health/ready')).status === 200

/** What a server must never have answered: a bug. The log has it with its stack. */
export const bugsOf = (servers: readonly ChildServer[]): string[] =>
  servers.flatMap((server) => server.output().match(/^.*"incident".*$/gm) ?? [])

export const asHost = (server: ChildServer, tenant: TestTenant, path: string): Promise<Answer> =>
  sendRequest(server.port, 'GET', path, { headers: { host: tenant.hostname } })
