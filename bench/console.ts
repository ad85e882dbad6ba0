import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createOperator, openInvite, setUpWithTotp } from '../src/control/index.ts'
import { openSqlite } from '../src/db/sqlite/connection.ts'
import { previewPlanValue } from '../src/tenants/index.ts'
import { openConnection } from './connection.ts'
import { cpuPerRequest } from './load.ts'
import { type Line, median, print } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const tenantCount = Number(process.argv[3] ?? 10_000)
const host = 'console.localhost'
const usedDays = 90
const changes = 20
const rounds = 5
const requests = 200

interface MeasuredPage {
  what: string
  /** Below the prefix of the console. */
  path: string
  /** After the first. */
  mostMs: number
}

/** The list is in another order, and filtered with a text that some tenants have. */
const pages: readonly MeasuredPage[] = [
  { what: 'overview', path: '', mostMs: 5 },
  { what: 'tenants', path: 'tenants', mostMs: 3 },
  { what: 'tenants by files, page 100', path: 'tenants?sort=-files&page=100', mostMs: 3 },
  { what: 'tenants, filtered as one types', path: 'tenants?q=t-99', mostMs: 20 },
  { what: 'find, as one types', path: '-/find?q=t-99', mostMs: 20 },
]

/** CPU that a server on SQLite takes for pages of the console, with many installed tenants that have been busy for 90 days. */
export async function benchConsole(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-console-'))
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  const settings = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: listen,
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_DEMO: '0',
    SERVICE_JOBS: '0',
    SERVICE_CONSOLE_HOSTNAME: host,
  }
  try {
    let cookie = ''
    {
      await using app = await openApp(readConfig(settings, '/'))
      cookie = await logIn(app)
    }
    makeTenants(join(dataDir, 'control.db'))
    const preview = await measurePreview(readConfig(settings, '/'))
    await using server = await startChild('./terrace.ts', settings)
    const before = await server.rssBytes()
    const lines: Line[] = [preview]
    for (const page of pages) lines.push(...(await measure(server, page, cookie)))
    const file = join(dataDir, 'control.db')
    lines.push(await measureChanges(server, { file, what: 'overview', path: '' }, cookie))
    lines.push(
      await measureChanges(server, { file, what: 'tenants by files', path: 'tenants?sort=-files' }, cookie),
    )
    lines.push(await measureBare())
    lines.push({
      what: 'memory that they took',
      measured: `${(((await server.rssBytes()) - before) / 1e6).toFixed(0)} MB`,
    })
    print(`CPU of pages of the console, ${tenantCount} tenants`, lines)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function logIn({ control }: App): Promise<string> {
  const { token } = await createOperator(control, { username: 'grace', role: 'operator' })
  const { totpSecret } = await openInvite(control, token)
  const request = {
    hostname: host,
    origin: `http://${host}`,
    key: new Uint8Array(32),
    address: '127.0.0.1',
    userAgent: 'bench',
  }
  const code = new TOTP({ secret: totpSecret }).generate()
  const opened = await setUpWithTotp(control, request, { token, password: 'a very long password', code })
  return `terrace-console=${opened.token}`
}

const stats = { users: 1, admins: 1, files: 12, storageUsed: 1_234_567 }
const counts = { uploads: 3, apiRequests: 40, trafficBytes: 5_000_000, storageUsed: 12_000, files: 1 }

/** By SQL: to install ten thousand sites would take an hour, and these pages open none. */
function makeTenants(path: string): void {
  const file = openSqlite(path)
  file.run(
    `insert into "site" ("idKey", "state", "installedAt", "stats")
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ${tenantCount})
     select 'tenant-' || i, 'live', '2026-01-01T00:00:00.000Z', '${JSON.stringify(stats)}' from n`,
    [],
  )
  file.run(
    `insert into "plan" ("id", "idKey", "limits", "createdAt", "updatedAt")
     values ('small', 'small', '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
    [],
  )
  file.run(
    `insert into "tenant" ("id", "idKey", "hostname", "isEnabled", "planId", "limits", "site", "createdAt", "updatedAt")
     select "idKey", "idKey", "idKey" || '.example.com', 1, 'small', '{"SERVICE_MAX_FILES":"13"}', "number",
       '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from "site"`,
    [],
  )
  file.run(
    `insert into "siteDay" ("site", "day", "counts")
     with recursive d (i) as (select 0 union all select i + 1 from d where i < ${usedDays - 1})
     select "number", date('now', '-' || i || ' days'), '${JSON.stringify(counts)}' from "site", d`,
    [],
  )
  file.close()
}

/** Of a plan that all tenants have. */
async function measurePreview(config: ReturnType<typeof readConfig>): Promise<Line> {
  await using app = await openApp(config)
  const change = { name: 'SERVICE_MAX_STORAGE', in: 'limits', value: '1M' } as const
  const spent: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begin = process.cpuUsage()
    const { over } = await previewPlanValue(app.control, 'small', change)
    if (over.count !== tenantCount) throw new Error(`${over.count} tenants would be over the limit.`)
    const { user, system } = process.cpuUsage(begin)
    spent.push((user + system) / 1_000)
  }
  return { what: 'preview of a plan with all tenants', measured: `${median(spent).toFixed(0)} ms` }
}

async function measure(
  server: ChildServer,
  { what, path, mostMs }: MeasuredPage,
  cookie: string,
): Promise<Line[]> {
  const request = requestOf(path, cookie)
  const begin = await server.cpuMicroseconds()
  const size = await sizeOf(server.port, request)
  const first = ((await server.cpuMicroseconds()) - begin) / 1_000
  await cpuPerRequest(server, { request, requests })
  const spent: number[] = []
  for (let round = 0; round < rounds; round += 1)
    spent.push((await cpuPerRequest(server, { request, requests })) / 1_000)
  const ms = median(spent)
  return [
    { what: `${what}, the first`, measured: `${first.toFixed(0)} ms` },
    {
      what: `${what}, each after it (${(size / 1_000).toFixed(0)} KB)`,
      measured: `${ms.toFixed(2)} ms`,
      reach: `<= ${mostMs} ms`,
      isReached: ms <= mostMs,
    },
  ]
}

/** A change between two pages costs the tenants that have changed. */
async function measureChanges(
  server: ChildServer,
  { file, what, path }: { file: string; what: string; path: string },
  cookie: string,
): Promise<Line> {
  const request = requestOf(path, cookie)
  const spent: number[] = []
  for (let round = 1; round <= changes; round += 1) {
    const control = openSqlite(file)
    control.run(`update "tenant" set "limits" = '{}' where "id" = 'tenant-${round}'`, [])
    control.close()
    const begin = await server.cpuMicroseconds()
    await sizeOf(server.port, request)
    spent.push(((await server.cpuMicroseconds()) - begin) / 1_000)
  }
  return { what: `${what}, after a change of a tenant`, measured: `${median(spent).toFixed(2)} ms` }
}

/** The least that any server could do: it sends as many bytes as the list has. */
async function measureBare(): Promise<Line> {
  await using bare = await startChild('./bare.ts', { size: 53_000 })
  const request = `GET / HTTP/1.1\r\nHost: localhost\r\n\r\n`
  await cpuPerRequest(bare, { request, requests })
  const ms = (await cpuPerRequest(bare, { request, requests })) / 1_000
  return { what: 'bare node:http, 53 KB', measured: `${ms.toFixed(2)} ms` }
}

const requestOf = (path: string, cookie: string): string =>
  `GET /_/console${path === '' ? '' : `/${path}`} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nCookie: ${cookie}\r\n\r\n`

async function sizeOf(port: number, request: string): Promise<number> {
  using connection = openConnection(port)
  const { status, size } = await connection.ask(request)
  if (status !== 200) throw new Error(`The page was answered with ${status}.`)
  return size
}
