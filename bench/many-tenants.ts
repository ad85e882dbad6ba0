import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openSqlite } from '../src/db/sqlite/connection.ts'
import { startPostgres } from '../test/support/stores/postgres-server.ts'
import { openConnection } from './connection.ts'
import { cpuPerRequest } from './load.ts'
import { cpuOfTree } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const tenantCount = Number(process.argv[3] ?? 100_000)
const api = '/_/api/4'
const changes = 20
const idleMs = 60_000

/** The lists of very many tenants, whose rows are made by SQL: they are not installed, and have no files. */
export async function benchManyTenants(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  try {
    const onSqlite = { ...settings, SERVICE_DATA_DIR: join(folder, 'sqlite') }
    await measure('SQLite', onSqlite, async (text) => {
      const file = openSqlite(join(folder, 'sqlite', 'control.db'))
      file.run(text, [])
      file.close()
    })
    await using postgres = await startPostgres()
    const onPostgres = {
      ...settings,
      SERVICE_DATA_DIR: join(folder, 'pg'),
      SERVICE_DATABASE_URL: postgres.url,
    }
    await measure(
      'PostgreSQL',
      onPostgres,
      async (text) => {
        const client = new pg.Client({ connectionString: postgres.url })
        await client.connect()
        await client.query(text)
        await client.end()
      },
      postgres.pid,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const anyPort = () => 20_000 + Math.floor(Math.random() * 12_000)

const settings = { SERVICE_LOG_LEVEL: 'error', SERVICE_DEMO: '0', SERVICE_LISTEN: `127.0.0.1:${anyPort()}` }

const stats = JSON.stringify({
  tags: 0,
  files: 12,
  pages: 0,
  users: 1,
  admins: 1,
  albums: 0,
  managers: 0,
  storages: 0,
  cronTime: 0,
  categories: 0,
  fileLikes: 0,
  fileViews: 0,
  albumLikes: 0,
  albumViews: 0,
  storageUsed: 1_234_567,
  loginProviders: 0,
})

/** Statements for both databases. */
const rows = [
  `insert into "site" ("idKey", "state", "stats")
   with recursive n (i) as (select 1 union all select i + 1 from n where i < ${tenantCount})
   select 'tenant-' || i, 'live', '${stats}' from n`,
  `insert into "tenant" ("id", "idKey", "hostname", "isEnabled", "limits", "site", "createdAt", "updatedAt")
   select "idKey", "idKey", "idKey" || '.example.com', 1, '{}', "number", '2026-01-01T00:00:00.000Z',
     '2026-01-01T00:00:00.000Z' from "site" where "idKey" like 'tenant-%'`,
]

type Environment = Readonly<Record<string, string>>

async function measure(
  name: string,
  environment: Environment,
  run: (text: string) => Promise<void>,
  databasePid?: number,
): Promise<void> {
  {
    await using _ = await startChild('./terrace.ts', environment)
  }
  for (const text of rows) await run(text)
  const started = performance.now()
  await using server = await startChild('./terrace.ts', environment)
  const startMs = performance.now() - started
  const idle = await idleCpu(server)
  const before = await server.rssBytes()
  const lists: Line[] = []
  for (const path of ['tenants', 'config/proxy'])
    lists.push(...(await measureList(server, path, databasePid)))
  print(`${tenantCount} tenants on ${name}`, [
    { what: 'start to ready', measured: `${(startMs / 1_000).toFixed(2)} s` },
    { what: 'idle memory', measured: megabytes(before) },
    { what: 'idle memory with both lists', measured: megabytes(await server.rssBytes()) },
    { what: 'idle CPU a minute', measured: `${idle.toFixed(0)} ms` },
    ...lists,
  ])
}

async function idleCpu(server: ChildServer): Promise<number> {
  await sleep(5_000)
  const before = await server.cpuMicroseconds()
  await sleep(idleMs)
  return ((await server.cpuMicroseconds()) - before) / 1_000
}

async function measureList(server: ChildServer, path: string, databasePid?: number): Promise<Line[]> {
  const request = requestText(server, 'GET', path)
  const first = await cpuOfWork(server, () => beginAnswer(server.port, request))
  const { size } = await askOnce(server, request)
  const costs: number[] = []
  const databaseBefore = databasePid === undefined ? 0 : cpuOfTree(databasePid)
  for (let number = 1; number <= changes; number += 1) {
    const body = JSON.stringify({ hostname: `changed-${number}-${path.length}.example.com` })
    const patch = requestText(server, 'PATCH', `tenants/tenant-${number * 37}`, body)
    costs.push(
      await cpuOfWork(server, async () => {
        await askOnce(server, patch)
        await beginAnswer(server.port, request)
      }),
    )
  }
  const databaseMs = databasePid === undefined ? 0 : (cpuOfTree(databasePid) - databaseBefore) / changes
  const unchanged: number[] = []
  for (let round = 0; round < changes; round += 1)
    unchanged.push(await cpuOfWork(server, () => beginAnswer(server.port, request)))
  await using bare = await startChild('./bare.ts', { size })
  const whole = { request, requests: 8, connections: 2 }
  const least = { ...whole, request: requestText(bare, 'GET', '/') }
  const ratios: number[] = []
  for (let round = 0; round < 7; round += 1)
    ratios.push((await cpuPerRequest(server, whole)) / (await cpuPerRequest(bare, least)))
  const changeMs = median(costs) - median(unchanged)
  return [
    { what: `${path}: CPU of the first, ${megabytes(size)}`, measured: `${first.toFixed(0)} ms` },
    {
      what: `${path}: CPU of a change, until the next list begins`,
      measured: `${changeMs.toFixed(1)} ms`,
      reach: '< 20 ms',
      isReached: changeMs < 20,
    },
    ...(databasePid === undefined
      ? []
      : [{ what: `${path}: of the database for it`, measured: `${databaseMs.toFixed(1)} ms` }]),
    ratioLine(`${path}: whole, against sending its bytes`, median(ratios), 2),
  ]
}

async function cpuOfWork(server: ChildServer, work: () => Promise<unknown>): Promise<number> {
  const before = await server.cpuMicroseconds()
  await work()
  return ((await server.cpuMicroseconds()) - before) / 1_000
}

async function askOnce(server: ChildServer, request: string) {
  using connection = openConnection(server.port)
  return await connection.ask(request)
}

/** Hangs up after the first bytes: the list is ready, and the rest is the cost of sending. */
async function beginAnswer(port: number, request: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once('data', (chunk) =>
    chunk.toString('latin1').startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(chunk.toString())),
  )
  socket.on('error', reject)
  socket.write(request)
  await promise.finally(() => socket.destroy())
}

function requestText(server: ChildServer, method: string, path: string, body = ''): string {
  const { key, secret } = server.credentials
  const signature = secret ? createHmac('sha256', secret).update(body).digest('hex') : ''
  const keys = key ? `X-API-Key: ${key}\r\nX-Signature: ${signature}\r\n` : ''
  const type = body ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : ''
  return `${method} ${path === '/' ? path : `${api}/${path}`} HTTP/1.1\r\nHost: localhost\r\n${keys}${type}\r\n${body}`
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
