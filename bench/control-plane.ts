import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '../src/accounts/index.ts'
import { openConnection } from './connection.ts'
import { cpuPerRequest } from './load.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const tenantCount = Number(process.argv[3] ?? 10_000)
const api = '/_/api/4'

/** The management API with many tenants on SQLite, against the least that any server could do. */
export async function benchControlPlane(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const environment = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: `127.0.0.1:${anyPort()}`,
    SERVICE_LOG_LEVEL: 'error',
  }
  try {
    {
      await using server = await startChild('./terrace.ts', environment)
      print(`Make ${tenantCount} tenants (SQLite, one after the other)`, await makeTenants(server))
    }
    await using server = await startChild('./terrace.ts', environment)
    print('VersionedCache', [
      { what: `idle with ${tenantCount} tenants`, measured: megabytes(await server.rssBytes()) },
    ])
    print('CPU of a request against bare node:http', await compareSmall(server))
    print('CPU of a long answer against sending the same bytes', await compareLong(server))
    print('Start', [await measureStart(environment)])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function makeTenants(server: ChildServer): Promise<Line[]> {
  using connection = openConnection(server.port)
  const post = async (path: string, body: object) => {
    const { status, milliseconds } = await connection.ask(
      requestText(server, 'POST', `${api}/${path}`, JSON.stringify(body)),
    )
    if (status !== 201) throw new Error(`${path} was answered with ${status}.`)
    return milliseconds
  }
  const lines: Line[] = []
  const step = Math.ceil(tenantCount / 4)
  for (let start = 0; start < tenantCount; start += step) {
    const creates: number[] = []
    const installs: number[] = []
    const hashes: number[] = []
    for (let number = start; number < Math.min(start + step, tenantCount); number += 1) {
      const id = `tenant-${number}`
      creates.push(await post('tenants', { id, hostname: `${id}.example.com`, is_enabled: true }))
      const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
      installs.push(await post(`tenants/${id}/install`, account))
      if (number % 25 === 0) hashes.push(await timeOf(() => hashPassword(account.password)))
    }
    const range = `${start + 1} to ${Math.min(start + step, tenantCount)}`
    for (const [what, times] of [
      ['create', creates],
      ['install', installs],
    ] as const) {
      const typical = median(times)
      const reach = { reach: '<= 10 ms', isReached: typical <= 10 }
      lines.push({ what: `${what}, ${range}: median`, measured: `${typical.toFixed(2)} ms`, ...reach })
    }
    // Hashing the password is most of an install; its duration shows how busy the machine is.
    lines.push({
      what: `a password’s hash alone, ${range}: median`,
      measured: `${median(hashes).toFixed(2)} ms`,
    })
    lines.push({ what: `memory after ${range}`, measured: megabytes(await server.rssBytes()) })
  }
  return lines
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function compareSmall(server: ChildServer): Promise<Line[]> {
  await using bare = await startChild('./bare.ts', { size: 12 })
  const calls = { 'auth/verify': ['POST', 'auth/verify'], 'one tenant': ['GET', 'tenants/tenant-7'] } as const
  return await compare(server, bare, 2_000, calls, 3)
}

async function compareLong(server: ChildServer): Promise<Line[]> {
  const lines: Line[] = []
  for (const [what, path] of [
    ['tenants', 'tenants'],
    ['config/proxy', 'config/proxy'],
    ['a page of the usage of all', 'usage?step=total&limit=1000'],
  ] as const) {
    const size = await sizeOf(server, path)
    await using bare = await startChild('./bare.ts', { size })
    const name = `${what}, ${megabytes(size)}`
    lines.push(...(await compare(server, bare, 16, { [name]: ['GET', path] }, 1.5)))
  }
  return lines
}

type Calls = Readonly<Record<string, readonly [string, string]>>

/** Short ones that take turns: what else the machine does falls on both sides alike. */
const rounds = 25

async function compare(server: ChildServer, bare: ChildServer, requests: number, calls: Calls, most: number) {
  const lines: Line[] = []
  for (const [what, [method, path]] of Object.entries(calls)) {
    const ours = { request: requestText(server, method, `${api}/${path}`), requests }
    const least = { request: requestText(bare, 'GET', '/'), requests }
    const spent = { ours: 0, least: 0 }
    for (let round = 0; round < rounds; round += 1) {
      spent.least += await cpuPerRequest(bare, least)
      spent.ours += await cpuPerRequest(server, ours)
    }
    lines.push(ratioLine(what, spent.ours / spent.least, most))
  }
  return lines
}

function requestText(server: ChildServer, method: string, path: string, body = ''): string {
  const { key, secret } = server.credentials
  const keys = key && secret ? `X-API-Key: ${key}\r\nX-Signature: ${signature(secret, body)}\r\n` : ''
  const type = body ? 'Content-Type: application/json\r\n' : ''
  const length = method === 'POST' ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : ''
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${keys}${type}${length}\r\n${body}`
}

const signature = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')

async function sizeOf(server: ChildServer, path: string): Promise<number> {
  using connection = openConnection(server.port)
  return (await connection.ask(requestText(server, 'GET', `${api}/${path}`))).size
}

/** From the command to the first answer that needs the database. */
async function measureStart(environment: Record<string, string>): Promise<Line> {
  const main = new URL('../build/main.js', import.meta.url).pathname
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const port = anyPort()
    const started = performance.now()
    const child = spawn(process.execPath, [main, 'serve'], {
      env: { ...environment, SERVICE_LISTEN: `127.0.0.1:${port}` },
      stdio: 'ignore',
    })
    while (!(await isReady(port))) await new Promise((resolve) => setTimeout(resolve, 5))
    times.push(performance.now() - started)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await ended
  }
  const seconds = median(times) / 1_000
  return {
    what: `to the first answer with ${tenantCount} tenants`,
    measured: `${seconds.toFixed(2)} s`,
    reach: '< 1.5 s',
    isReached: seconds < 1.5,
  }
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/_/health/ready`).then(
    (answer) => answer.ok,
    () => false,
  )

const anyPort = () => 20_000 + Math.floor(Math.random() * 12_000)

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
