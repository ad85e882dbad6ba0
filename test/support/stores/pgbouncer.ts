import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../harness.ts'
import { until } from '../until.ts'

export type PoolMode = 'session' | 'transaction'

export interface Pgbouncer extends AsyncDisposable {
  /** The same database, through the pooler. */
  url: string
}

/** Debian's PgBouncer in front of a database, as its package configures it but for the mode and the size of the pool. */
export async function startPgbouncer(databaseUrl: string, mode: PoolMode, poolSize = 60): Promise<Pgbouncer> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'terrace-pgbouncer-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const target = new URL(databaseUrl)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, settings(target, { port, mode, poolSize }))
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) await Promise.all([chmod(folder, 0o755), chmod(file, 0o644)])
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' })
  const closed = once(child, 'close')
  undo.defer(async () => {
    child.kill('SIGKILL')
    await closed
  })
  await until(() => isOpen(port), 'PgBouncer listens')
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  const all = undo.move()
  return { url: url.href, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

function settings(
  target: URL,
  { port, mode, poolSize }: { port: number; mode: PoolMode; poolSize: number },
): string {
  // The PostgreSQL of the tests asks for no password.
  const { hostname, port: targetPort, username, pathname } = target
  return `[databases]
${pathname.slice(1)} = host=${hostname} port=${targetPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 200
default_pool_size = ${poolSize}
`
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
