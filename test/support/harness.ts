import { createHmac, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createKey } from '../../src/control/index.ts'
import { startServer } from '../../src/doors.ts'
import { shareDecoders } from '../../src/imaging/index.ts'
import { Processes } from '../../src/lib/processes/processes.ts'
import { addMigratedFile, migratedDatabaseUrl } from './run/migrated-stores.ts'
import { sharedDecoders } from './run/shared-decoders.ts'
import { startBeside } from './servers/beside.ts'
import { dropDatabase } from './stores/postgres.ts'
import type { Tier } from './tiers.ts'

export type StoreKind = 'sqlite' | 'postgres'

type StoreTests = (store: StoreKind) => void

/** The same sentences, held against both stores: for what a store can change. */
export function onBothStores(name: string, tests: StoreTests): void {
  onStores(['sqlite', 'postgres'], name, tests)
}

/** Like `onBothStores`, but `npm test` runs them on SQLite alone: for what rests on rows that other tests hold on both. */
export function onEachStore(name: string, tests: StoreTests): void {
  const tier = process.env.TEST_TIER as Tier | undefined
  const stores = { quick: ['sqlite'], rest: ['postgres'] } as const
  onStores(tier === 'quick' || tier === 'rest' ? stores[tier] : ['sqlite', 'postgres'], name, tests)
}

function onStores(stores: readonly StoreKind[], name: string, tests: StoreTests): void {
  for (const store of stores) describe(`${name} (${store})`, () => tests(store))
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
  /** Sent unchanged, instead of `body`. */
  bytes?: string | Buffer
  /** Keeps connections open; without it each request has its own. */
  agent?: Agent
}

export interface TestApp extends AsyncDisposable {
  app: App
  port: number
  further: readonly { app: App; port: number }[]
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
  /** A tenant, installed, with the hostname `<id>.test`. */
  tenant(id: string): Promise<{ id: string; hostname: string; apiKey: string }>
}

interface Options {
  store?: StoreKind
  environment?: Record<string, string>
  /** Whether the app has decoders of its own, as a test needs that looks at them. */
  hasOwnDecoders?: boolean
  /** How many processes the server has, each with a port of its own: the others are in `further`. */
  processes?: number
  /** Uses another app's installation instead of creating one. */
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
  const decoders = options.hasOwnDecoders ? undefined : sharedDecoders(options.environment)
  const { processes: count = sharingPort } = options
  const app = undo.use(await openApp(config, clock, { imaging: decoders, processes: new Processes(count) }))
  if (count > 1 && decoders) shareDecoders(decoders, app.processes)
  undo.use(await startServer(app))
  const further: { app: App; port: number }[] = []
  while (further.length < count - 1) {
    const furtherPort = options.processes === undefined ? config.listen.port : await freePort()
    further.push(undo.use(await startBeside(app, { port: furtherPort, clock })))
  }
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
    app,
    port,
    further,
    key,
    environment,
    send,
    call,
    sign,
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

/** With TEST_PROCESSES=2 every test meets a server of two processes that share a port. */
const sharingPort = Number(process.env.TEST_PROCESSES ?? 1)

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
    // `sendRaw` reads until the connection ends.
    SERVICE_KEEP_ALIVE_SECONDS: '5',
  }
  if (store === 'sqlite') {
    await addMigratedFile(dataDir)
    return environment
  }
  const url = await migratedDatabaseUrl()
  undo.defer(() => dropDatabase(url))
  return { ...environment, SERVICE_DATABASE_URL: url }
}

/**
 * A port that stays free until it is used: each worker has its own, below those that the system hands out to others in the
 * meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + worker * portsOfWorker + (nextPort % portsOfWorker)
    nextPort += 1
    if (await canListen(port)) return port
  }
}

const [firstPort, portsOfWorker, mostWorkers] = [11_000, 1_300, 16]
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % mostWorkers
let nextPort = randomInt(portsOfWorker)

async function canListen(port: number): Promise<boolean> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
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
    agent: call.agent ?? false,
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
