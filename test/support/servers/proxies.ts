import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { type Agent, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { freePort, type TestApp } from '../harness.ts'
import { until } from '../until.ts'

/** A proxy in front of a test app, as operations.md configures it. */
export interface FrontProxy extends AsyncDisposable {
  port: number
  scheme: 'http' | 'https'
  /** What it logged of each request it passed on. */
  log(): Promise<string>
}

const document = () => readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

/** The very block that operators copy. */
export function documentedBlock(language: string, index = 0): string {
  const blocks = [...document().matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(
    ([, name]) => name === language,
  )
  const text = blocks[index]?.[2]
  if (text === undefined) throw new Error(`operations.md has no block of ${language}.`)
  return text
}

/** Replaces the examples in a documented block. Each must occur, so that the document and its test stay in agreement. */
function replaced(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((changed, [example, value]) => {
    if (!changed.includes(example)) throw new Error(`The block in operations.md has no "${example}".`)
    return changed.replaceAll(example, () => value)
  }, text)
}

/** To be given to the app as its settings: the ports must be known before either is started. */
export const behind = (port: number) => ({
  SERVICE_TRUSTED_PROXIES: '127.0.0.1,::1',
  SERVICE_PUBLIC_PORT: String(port),
})

/** How much shorter every time-out of a documented block is in a test: hours of a slow client become seconds. */
export interface Hurry {
  times?: number
}

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function hurried(block: string, { times = 1 }: Hurry): string {
  return block.replaceAll(
    /(?<=\s)(\d+)(ms|s|m|h)(?=;?$)/gm,
    (_, count, unit: keyof typeof unitsMs) => `${Math.ceil((count * unitsMs[unit]) / times)}ms`,
  )
}

export async function startNginx(
  app: TestApp,
  port: number,
  { dataDir = app.dataDir, ...hurry }: Hurry & { dataDir?: string } = {},
): Promise<FrontProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-nginx-'))
  const block = replaced(hurried(documentedBlock('nginx'), hurry), {
    'listen 80;': `listen 127.0.0.1:${port};`,
    '127.0.0.1:8080': `127.0.0.1:${app.port}`,
    '/srv/terrace': dataDir,
    PROOF: createHmac('sha256', app.secret).update('/terrace-files').digest('hex'),
  })
  const log = join(folder, 'access.log')
  // One process of our own account, since the data folder of a test is closed to others.
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log warn;
    events { worker_connections 512; }
    http {
      ${temporaryPaths(folder)}
      log_format paths '$request_method $request_uri $upstream_http_x_accel_redirect';
      access_log ${log} paths;
      ${block}
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', `${folder}/error.log`])
  return started(child, { port, scheme: 'http', folder, log })
}

/** One that keeps answers for as long as Terrace allows, as caches and CDNs do, and says in `X-Cache` whence each came. */
export async function startCachingNginx(app: TestApp, port: number): Promise<FrontProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-cache-'))
  const log = join(folder, 'access.log')
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log warn;
    events { worker_connections 512; }
    http {
      ${temporaryPaths(folder)}
      access_log ${log};
      proxy_cache_path ${folder}/cache keys_zone=pictures:1m;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://127.0.0.1:${app.port};
          proxy_set_header Host $host;
          proxy_cache pictures;
          add_header X-Cache $upstream_cache_status;
        }
      }
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', `${folder}/error.log`])
  return started(child, { port, scheme: 'http', folder, log })
}

const temporaryPaths = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')

export async function startCaddy(app: TestApp, port: number, hurry: Hurry = {}): Promise<FrontProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-caddy-'))
  const log = join(folder, 'caddy.log')
  const options = `{
	admin off
	skip_install_trust
	auto_https disable_redirects
	http_port ${await freePort()}
	https_port ${port}
	log {
		output file ${log}
	}
`
  const block = replaced(hurried(documentedBlock('caddyfile'), hurry), {
    '127.0.0.1:8080': `127.0.0.1:${app.port}`,
    // Certificates of Caddy's own authority instead of a public one.
    '\ttls {': '\ttls internal {',
  }).replace(/^\{\n/, () => options)
  await writeFile(join(folder, 'Caddyfile'), block)
  const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
    env: environment,
  })
  return started(child, { port, scheme: 'https', folder, log })
}

interface Starting {
  port: number
  scheme: 'http' | 'https'
  folder: string
  log: string
}

async function started(child: ChildProcess, { port, scheme, folder, log }: Starting): Promise<FrontProxy> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`${child.spawnfile} did not start: ${output}`)
      return accepts(port)
    }, `${child.spawnfile} listens`)
  } catch (error) {
    await stop()
    throw error
  }
  return { port, scheme, log: () => readFile(log, 'utf8'), [Symbol.asyncDispose]: stop }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export interface Passed {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  json: any
}

export interface Passing {
  method?: string
  host?: string
  headers?: Record<string, string>
  bytes?: Buffer | string
  /** How long the body takes to be sent, in equal pieces. */
  lastsMs?: number
  /** Keeps connections between requests. */
  agent?: Agent
}

/** Sends a request for a host to a proxy, without verifying its certificate. */
export function askProxy(proxy: FrontProxy, path: string, passing: Passing = {}): Promise<Passed> {
  const { method = 'GET', host = 'cats.test', headers = {}, bytes, lastsMs, agent } = passing
  const { promise, resolve, reject } = Promise.withResolvers<Passed>()
  const length = bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }
  const options = {
    host: '127.0.0.1',
    port: proxy.port,
    method,
    path,
    agent: agent ?? false,
    headers: { host: `${host}:${proxy.port}`, ...length, ...headers },
  }
  const outgoing =
    proxy.scheme === 'https'
      ? request({ ...options, servername: host, rejectUnauthorized: false })
      : plainRequest({ ...options, agent: false })
  outgoing.on('error', reject)
  outgoing.on('response', (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('error', reject)
    incoming.on('end', () => {
      const whole = Buffer.concat(chunks)
      const text = whole.toString()
      const json = /json/.test(incoming.headers['content-type'] ?? '') ? JSON.parse(text) : undefined
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: whole, text, json })
    })
  })
  if (lastsMs === undefined) outgoing.end(bytes)
  else trickle(outgoing, Buffer.from(bytes ?? ''), lastsMs).catch(reject)
  return promise
}

async function trickle(outgoing: ClientRequest, bytes: Buffer, lastsMs: number): Promise<void> {
  const pieces = 100
  const pieceBytes = Math.ceil(bytes.length / pieces)
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += pieceBytes) {
    outgoing.write(bytes.subarray(at, at + pieceBytes))
    await sleep(lastsMs / pieces)
  }
  outgoing.end()
}

/** A bare connection to a proxy, as a client has that writes and reads in its own order. */
export async function connectTo({ port, scheme }: FrontProxy, host = 'cats.test'): Promise<Socket> {
  const socket =
    scheme === 'https'
      ? connectTls({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false })
      : connect(port, '127.0.0.1')
  await once(socket, scheme === 'https' ? 'secureConnect' : 'connect')
  return socket
}
