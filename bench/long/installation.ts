import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PRODUCTION_FLAGS } from '../../boot.mjs'

const program = fileURLToPath(new URL('../../build/main.js', import.meta.url))
const secret = 'the secret of a long run, made up for it'

export interface Tenant {
  id: string
  host: string
  key: string
}

/** One server, run as people run it, which may be killed and started again on its data. */
export interface Installation extends AsyncDisposable {
  port: number
  pid(): number
  start(): Promise<void>
  kill(): Promise<void>
  /** Asks it to end; the exit code and how long that took. */
  stop(): Promise<{ code: number | null; milliseconds: number }>
  tenant(id: string, env?: Record<string, string>): Promise<Tenant>
  /** Runs the tool on the installation's data folder. */
  tool(...words: string[]): Promise<{ code: number | null; output: string }>
}

export async function openInstallation(settings: Record<string, string>): Promise<Installation> {
  const port = await freePort()
  const environment = {
    SERVICE_DEMO: '0',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_TENANTS_API_REQUEST_SECRET: secret,
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    PATH: process.env.PATH ?? '',
    ...settings,
  }
  const run = (words: readonly string[], stdio: 'inherit' | 'pipe') =>
    spawn(process.execPath, [...PRODUCTION_FLAGS, program, ...words], {
      env: environment,
      stdio: ['ignore', stdio === 'pipe' ? 'pipe' : 'ignore', 'inherit'],
    })
  const tool = async (...words: string[]) => {
    const child = run(words, 'pipe')
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    const [code] = await once(child, 'close')
    return { code, output }
  }

  let server: ChildProcess | undefined
  const start = async () => {
    server = run(['serve'], 'inherit')
    while (!(await isUp(port))) {
      if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`)
      await sleep(50)
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return null
    const closed = once(server, 'close')
    server.kill(signal)
    const [code] = await closed
    return code as number | null
  }

  const { output } = await tool('tenants', 'api:key:create', '--json')
  const { key } = JSON.parse(output) as { key: string }
  const call = (method: string, path: string, fields: object) => {
    const body = JSON.stringify(fields)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'x-api-key': key, 'x-signature': signature, 'content-type': 'application/json' }
    return fetch(`http://localhost:${port}/_/api/4/${path}`, { method, body, headers })
  }
  await start()
  return {
    port,
    start,
    tool,
    pid: () => server?.pid ?? 0,
    kill: async () => void (await end('SIGKILL')),
    async stop() {
      const started = performance.now()
      const code = await end('SIGTERM')
      return { code, milliseconds: performance.now() - started }
    },
    async tenant(id, env = {}) {
      const host = `${id}.test`
      const created = await call('POST', 'tenants', { id, hostname: host, is_enabled: true, env })
      if (created.status !== 201) throw new Error(`${id}: ${await created.text()}`)
      const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
      const installed = await call('POST', `tenants/${id}/install`, account)
      if (installed.status !== 201) throw new Error(`${id}: ${await installed.text()}`)
      const { api_key } = (await installed.json()) as { api_key: string }
      return { id, host, key: api_key }
    },
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  }
}

const isUp = (port: number) =>
  fetch(`http://127.0.0.1:${port}/_/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
