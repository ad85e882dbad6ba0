import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createKey } from '../src/control/index.ts'
import { startServer } from '../src/http/index.ts'
import { dropDatabase, freshDatabaseUrl } from './postgres.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** The same sentences, held against both stores. */
export function onBothStores(name: string, tests: (store: StoreKind) => void): void {
  for (const store of ['sqlite', 'postgres'] as const) describe(`${name} (${store})`, () => tests(store))
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: any
}

export interface Call {
  body?: unknown
  headers?: Record<string, string>
  /** Sent as they are, in place of `body`. */
  bytes?: string | Buffer
}

export interface TestApp extends AsyncDisposable {
  app: App
  port: number
  dataDir: string
  key: string
  secret: string
  /** The settings, for a second server of the same installation. */
  environment: Record<string, string>
  /** Without key or signature. */
  send(method: string, path: string, call?: Call): Promise<Answer>
  /** With both. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  sign(text: string | Buffer): string
  /** Moves the clock. */
  wait(seconds: number): void
  /** A tenant, installed, with the host name `<id>.test`. */
  tenant(id: string): Promise<{ id: string; hostname: string; apiKey: string }>
}

interface Options {
  store?: StoreKind
  environment?: Record<string, string>
  /** Joins another app's installation in place of making one. */
  beside?: Pick<TestApp, 'environment'>
}

export const managementPath = '/_/api/4'

/** The real app on a temporary folder or a fresh database, listening, with a clock that tests move. */
export async function startTestApp(options: Options = {}): Promise<TestApp> {
  await using undo = new AsyncDisposableStack()
  const environment = options.beside
    ? { ...options.beside.environment, ...options.environment }
    : { ...(await freshEnvironment(options.store ?? 'sqlite', undo)), ...options.environment }
  if (options.beside) Object.assign(environment, { SERVICE_LISTEN: `127.0.0.1:${await freePort()}` })
  const config = readConfig(environment, '/')

  let offsetMs = 0
  const clock = { now: () => new Date(Date.now() + offsetMs) }
  const app = undo.use(await openApp(config, clock))
  undo.use(await startServer(app))
  const { key } = await createKey(app.control, {})
  const { port } = config.listen
  const sign = (text: string | Buffer) => createHmac('sha256', app.requestSecret).update(text).digest('hex')
  const send = (method: string, path: string, call: Call = {}) => sendRequest(port, method, path, call)
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const bytes = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const type: Record<string, string> = bytes === '' ? {} : { 'content-type': 'application/json' }
    const keys = { 'x-api-key': key, 'x-signature': sign(bytes) }
    return send(method, `${managementPath}/${path}`, { bytes, headers: { ...type, ...keys, ...headers } })
  }
  const all = undo.move()
  return {
    ...{ app, port, key, environment, send, call, sign },
    dataDir: config.dataDir,
    secret: app.requestSecret,
    wait(seconds) {
      offsetMs += seconds * 1_000
    },
    async tenant(id) {
      const hostname = `${id.toLowerCase()}.test`
      await call('POST', 'tenants', { id, hostname, is_enabled: true })
      const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
      const { json } = await call('POST', `tenants/${id}/install`, account)
      return { id, hostname, apiKey: json.api_key }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function freshEnvironment(
  store: StoreKind,
  undo: AsyncDisposableStack,
): Promise<Record<string, string>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-test-'))
  undo.defer(() => rm(dataDir, { recursive: true, force: true }))
  const environment = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: `127.0.0.1:${await freePort()}`,
    SERVICE_LOG_LEVEL: 'silent',
  }
  if (store === 'sqlite') return environment
  const url = await freshDatabaseUrl()
  undo.defer(() => dropDatabase(url))
  return { ...environment, SERVICE_DATABASE_URL: url }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await new Promise((closed) => server.close(closed))
  return port
}

export async function sendRequest(
  port: number,
  method: string,
  path: string,
  call: Call = {},
): Promise<Answer> {
  const bytes = call.bytes ?? (call.body === undefined ? '' : JSON.stringify(call.body))
  const length: Record<string, string> =
    bytes.length === 0 ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: { ...length, ...call.headers },
    agent: false,
  })
  outgoing.on('error', reject)
  outgoing.on('response', (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('error', reject)
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) })
    })
  })
  outgoing.end(bytes)
  return promise
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What comes back for bytes that no HTTP library would send. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  socket.setTimeout(10_000, () => socket.destroy(new Error('No answer within 10 s.')))
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', reject)
  socket.on('close', () => resolve(text))
  socket.write(bytes)
  return promise
}
