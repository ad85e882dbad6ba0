import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type FetchOptions, fetchToSpool } from '../../../src/http/uploads/source/fetch-url.ts'
import { openSpool } from '../../../src/http/uploads/source/spool.ts'
import { nameResolver } from '../../../src/lib/net/name-resolver.ts'
import { parseUrlAllow } from '../../../src/lib/net/url-allow.ts'
import { Refusal } from '../../../src/lib/refusal.ts'

/** Short, so that no test has to sleep. */
export const SHORT = { dnsMs: 150, connectMs: 300, idleMs: 300, totalMs: 900 }

export const REFUSED = {
  kind: 'invalid',
  code: 'url-refused',
  message: 'The URL could not be fetched.',
  list: ['The URL could not be fetched.'],
}

type Wishes = Partial<Omit<FetchOptions, 'allow'>> & { allow?: string }

/** Fetches into a spool of its own and returns the names of the files that the fetch left there. */
export async function tryFetch(url: string, { allow = '', ...wishes }: Wishes = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'url-fetch-'))
  try {
    await using spool = openSpool(parent)
    await spool.made
    const resolve = nameResolver()
    const options = {
      spool,
      maxBytes: 1_000_000,
      times: SHORT,
      resolve,
      allow: parseUrlAllow(allow),
      ...wishes,
    }
    const outcome = await fetchToSpool(url, options).then(
      (file) => ({ file, error: undefined }),
      (error: unknown) => ({ file: undefined, error }),
    )
    return { ...outcome, left: await readdir(spool.folder) }
  } finally {
    await rm(parent, { recursive: true })
  }
}

/** Fetches what must be refused, and gives what was the matter. */
export async function refusedFetch(url: string, wishes: Wishes = {}, expected: object = REFUSED) {
  const { file, error, left } = await tryFetch(url, wishes)
  assert.equal(file, undefined, `${JSON.stringify(url)} was fetched`)
  assert.ok(error instanceof Refusal, `${JSON.stringify(url)}: ${String(error)}`)
  const { kind, code, message, list } = error
  assert.deepEqual({ kind, code, message, list }, expected, JSON.stringify(url))
  assert.deepEqual(left, [])
  return { error, cause: error.cause as NodeJS.ErrnoException }
}

export interface TestServer extends AsyncDisposable {
  port: number
  /** What the allow list must say to let it through. */
  allow: string
  url: (path?: string) => string
  connections: number
}

/** A server that may say anything. */
export async function listen(
  onSocket: (socket: Socket) => void,
  { server = createServer(), host = '127.0.0.1', port = 0 } = {},
): Promise<TestServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    started.connections += 1
    sockets.add(socket.on('error', () => {}))
    if (server.constructor === Server) onSocket(socket)
  })
  await once(server.listen(port, host), 'listening')
  const address = `${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  const started: TestServer = {
    port: (server.address() as AddressInfo).port,
    allow: address,
    url: (path = '/a.png') => `http://${address}${path}`,
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
  return started
}

/** Sends the text once a request is there, and then ends unless told to stay. */
export const say =
  (text: string | Buffer, { stay = false } = {}) =>
  (socket: Socket) => {
    socket.once('data', () => (stay ? socket.write(text) : socket.end(text)))
  }

export const page = (body: string, head = '') =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

export const redirect = (status: number, location: string) =>
  `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`

/** Answers each request by its path. */
export const route = (answers: Record<string, string>) => (socket: Socket) => {
  socket.once('data', (bytes) => {
    const path = bytes.toString('latin1').split(' ')[1] ?? ''
    socket.end(answers[path] ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  })
}

interface Dial {
  host: string | undefined
  port: number | undefined
  /** What the socket gets when it asks for the addresses of its host. */
  addresses: string[]
}

/** Keeps every connection of this process from being made, and tells where it would have gone. */
export function cutNetwork({ isSilent = false } = {}): Disposable & { dials: Dial[] } {
  const dials: Dial[] = []
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (
    this: Socket,
    ...words: any[]
  ) {
    // Node's own calls come with a list of normalised arguments.
    const options = Array.isArray(words[0]) ? words[0][0] : words[0]
    const dial: Dial = { host: options.host, port: options.port, addresses: [] }
    dials.push(dial)
    options.lookup?.(options.host, { all: true }, (_: unknown, all: { address: string }[]) => {
      dial.addresses = all.map(({ address }) => address)
    })
    if (!isSilent) process.nextTick(() => this.destroy(new Error('The network is cut.')))
    return this
  })
  return { dials, [Symbol.dispose]: () => spy.mockRestore() }
}

/** Servers that nobody may ever reach, on the ports of the web as far as this user may take them. */
export async function startCanaries(): Promise<AsyncDisposable & { count: () => number }> {
  const canaries: TestServer[] = []
  for (const host of ['127.0.0.1', '::1']) {
    for (const port of [80, 443]) {
      const canary = await listen((socket) => socket.destroy(), { host, port }).catch((error) => {
        console.log(`No canary at ${host} port ${port}: ${error.code}`)
      })
      if (canary) canaries.push(canary)
    }
  }
  return {
    count: () => canaries.reduce((sum, { connections }) => sum + connections, 0),
    async [Symbol.asyncDispose]() {
      for (const canary of canaries) await canary[Symbol.asyncDispose]()
    },
  }
}
