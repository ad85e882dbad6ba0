import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openSqlite } from '../src/db/sqlite/connection.ts'
import { startPostgres } from '../test/support/stores/postgres-server.ts'
import { openConnection } from './connection.ts'
import { cpuOfThreads } from './processes.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const tenantCount = Number(process.argv[3] ?? 10_000)
const days = 30
const dayMs = 86_400_000
/** Rounds until the code is compiled. */
const unmeasured = 40

/** A whole list is all of its pages, one after the other. */
const lists = [
  { what: 'total, 1,000 a page', query: 'step=total&limit=1000', rounds: 25 },
  { what: 'total, 200 a page', query: 'step=total&limit=200', rounds: 15 },
  { what: '30 days, 1,000 a page', query: 'limit=1000', rounds: 3 },
  { what: 'total, CSV', query: 'step=total&format=csv', rounds: 7 },
  { what: '30 days, CSV', query: 'format=csv', rounds: 3 },
]

/**
 * The usage of very many tenants that were busy on each day. The baseline is a call behind the same door of the same server,
 * signed alike, which sends as many bytes that lie ready: what is above it, is the usage.
 */
export async function benchUsage(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  try {
    const onSqlite = { ...settings, SERVICE_DATA_DIR: join(folder, 'sqlite') }
    await measure('SQLite', onSqlite, async (texts) => {
      const file = openSqlite(join(folder, 'sqlite', 'control.db'))
      for (const text of texts) file.run(text, [])
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
      async (texts) => {
        const client = new pg.Client({ connectionString: postgres.url })
        await client.connect()
        for (const text of [...texts, 'analyze']) await client.query(text)
        await client.end()
      },
      postgres.pid,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const anyPort = () => 20_000 + Math.floor(Math.random() * 12_000)

const settings = {
  SERVICE_LOG_LEVEL: 'error',
  SERVICE_DEMO: '0',
  SERVICE_JOBS: '0',
  SERVICE_LISTEN: `127.0.0.1:${anyPort()}`,
}

const stats = { users: 1, admins: 1, files: 12, storageUsed: 1_234_567 }
const counts = {
  uploads: 3,
  uploadBytes: 12_345,
  downloads: 70,
  trafficBytes: 5_000_000,
  views: 25,
  apiRequests: 40,
  files: 1,
  storageUsed: 12_000,
}

const dayNames = Array.from({ length: days }, (_, index) =>
  new Date(Date.now() - index * dayMs).toISOString().slice(0, 10),
)

/** By SQL, for both databases: to install ten thousand sites would take an hour, and the usage opens none. */
const rows = [
  `insert into "site" ("idKey", "state", "installedAt", "stats")
   with recursive n (i) as (select 1 union all select i + 1 from n where i < ${tenantCount})
   select 'tenant-' || i, 'live', '2026-01-01T00:00:00.000Z', '${JSON.stringify(stats)}' from n`,
  `insert into "tenant" ("id", "idKey", "hostname", "isEnabled", "limits", "site", "createdAt", "updatedAt")
   select "idKey", "idKey", "idKey" || '.example.com', 1, '{}', "number", '2026-01-01T00:00:00.000Z',
     '2026-01-01T00:00:00.000Z' from "site" where "idKey" like 'tenant-%'`,
  ...dayNames.map(
    (day) => `insert into "siteDay" ("site", "day", "counts")
      select "number", '${day}', '${JSON.stringify(counts)}' from "site"`,
  ),
]

async function measure(
  name: string,
  environment: Readonly<Record<string, string>>,
  run: (texts: readonly string[]) => Promise<void>,
  databasePid?: number,
): Promise<void> {
  {
    await using _ = await startChild('./prepared.ts', environment)
  }
  await run(rows)
  await using server = await startChild('./prepared.ts', environment)
  const lines: Line[] = []
  for (const list of lists) lines.push(...(await measureList({ server, databasePid }, list)))
  print(`CPU of the usage of ${tenantCount} tenants on ${name}`, lines)
}

interface Side {
  server: ChildServer
  databasePid: number | undefined
}

async function measureList(side: Side, { what, query, rounds }: (typeof lists)[number]): Promise<Line[]> {
  const first = await cpuOfWork(side, () => readList(side.server, query))
  const { paths, sizes, rowCount } = first.result
  const least = sizes.map((size, page) => `prepared?size=${size}&page=${page}`)
  const again = { ours: [] as number[], least: [] as number[] }
  using connection = openConnection(side.server.port)
  const readAll = (list: readonly string[]) => async () => {
    for (const path of list) {
      const { status } = await connection.ask(requestText(side.server, path))
      if (status !== 200) throw new Error(`${path} was answered with ${status}.`)
    }
  }
  for (let round = -unmeasured; round < rounds; round += 1) {
    const leastMs = (await cpuOfWork(side, readAll(least))).ms
    const oursMs = (await cpuOfWork(side, readAll(paths))).ms
    if (round < 0) continue
    again.least.push(leastMs)
    again.ours.push(oursMs)
  }
  const ratios = again.ours.map((ms, round) => ms / (again.least[round] ?? Number.NaN))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const shown = `${rowCount} rows, ${(bytes / 1e6).toFixed(1)} MB in ${sizes.length}`
  return [
    { what: `${what}: first (${shown})`, measured: `${first.ms.toFixed(0)} ms` },
    { what: `${what}: again`, measured: `${median(again.ours).toFixed(1)} ms` },
    ratioLine(`${what}: again, against sending its bytes`, median(ratios), 1.5),
  ]
}

/** Of the server and of the database. */
async function cpuOfWork<Result>(
  { server, databasePid }: Side,
  work: () => Promise<Result>,
): Promise<{ ms: number; result: Result }> {
  const spent = async () =>
    (await server.cpuMicroseconds()) / 1_000 + (databasePid === undefined ? 0 : cpuOfThreads(databasePid))
  const before = await spent()
  const result = await work()
  return { ms: (await spent()) - before, result }
}

/** Follows the cursors. */
async function readList(server: ChildServer, query: string) {
  const paths: string[] = []
  const sizes: number[] = []
  let rowCount = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const path: string = `usage?${query}${cursor && `&cursor=${cursor}`}`
    const answer = await fetch(`http://127.0.0.1:${server.port}/_/api/4/${path}`, {
      headers: headersOf(server),
    })
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}.`)
    const text = await answer.text()
    paths.push(path)
    sizes.push(text.length)
    const page = query.includes('csv') ? undefined : JSON.parse(text)
    rowCount += page?.data.length ?? text.split('\n').length - 2
    cursor = page?.next_cursor ?? null
  }
  return { paths, sizes, rowCount }
}

function headersOf({ credentials: { key = '', secret = '' } }: ChildServer): Record<string, string> {
  return { 'X-API-Key': key, 'X-Signature': createHmac('sha256', secret).update('').digest('hex') }
}

function requestText(server: ChildServer, path: string): string {
  const lines = Object.entries(headersOf(server)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET /_/api/4/${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n`
}
