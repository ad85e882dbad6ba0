import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { quickestFolder } from '../run/test-folder.ts'

export interface RadosgwServer extends AsyncDisposable {
  /** Endpoint, access key and secret key, separated by spaces. */
  address: string
}

/**
 * A real S3 server: Ceph's radosgw over one monitor and one storage daemon that keeps everything in memory
 * (Debian: radosgw, ceph-mon, ceph-osd). It goes away with this process, however this process ends. Rejects with the
 * reason where it cannot be started.
 */
export async function startRadosgwServer(): Promise<RadosgwServer> {
  // A process group of its own, so that Ctrl-C leaves the keeper alive to clean up: it stops when its input ends.
  const keeper = spawn(process.execPath, [fileURLToPath(import.meta.url), 'keep'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let complaints = ''
  keeper.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const ended = once(keeper, 'close')
  const [firstOutput] = await Promise.race([once(keeper.stdout, 'data'), ended])
  if (!Buffer.isBuffer(firstOutput)) throw new Error(complaints.trim() || 'radosgw did not start')
  keeper.stderr.pipe(process.stderr)
  return {
    address: firstOutput.toString().trim(),
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await ended
    },
  }
}

const children: ChildProcess[] = []
let folder: string | undefined
let isStopping = false

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'keep') {
  process.stdin.once('close', stop).resume()
  await keep().catch(async (error: Error) => {
    console.error(error.message)
    await stop()
  })
}

async function keep(): Promise<void> {
  folder = await mkdtemp(join(quickestFolder(1_000_000_000), 'terrace-radosgw-'))
  for (const name of ['mon', 'osd']) await mkdir(join(folder, name))
  const [monitorPort, port] = [await freePort(), await freePort()]
  const [cluster, disk] = [randomUUID(), randomUUID()]
  const monitor = `[v2:127.0.0.1:${monitorPort}]`
  await writeFile(join(folder, 'ceph.conf'), settings(folder, cluster, monitor))

  const map = join(folder, 'monmap')
  await run('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', monitor, map)
  await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map)
  start('ceph-mon', '-f', '-i', 'a')
  await Promise.all([
    run('ceph', '--connect-timeout', '20', 'osd', 'new', disk, '0'),
    run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', disk),
  ])
  start('ceph-osd', '-f', '-i', '0')
  const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')]
  const keys = ['--access-key', accessKey, '--secret-key', secretKey]
  await run('radosgw-admin', 'user', 'create', '--uid', 'terrace', '--display-name', 'terrace', ...keys)
  startGateway(port)
  const endpoint = `http://127.0.0.1:${port}`
  await answers(endpoint)
  console.log(`${endpoint} ${accessKey} ${secretKey}`)
}

/** It keeps nothing itself, so that another one takes over from one that has crashed. */
function startGateway(port: number): void {
  const frontend = `--rgw-frontends=beast endpoint=127.0.0.1:${port} tcp_nodelay=1`
  const { child, log } = start('radosgw', '-f', '-n', 'client.admin', frontend)
  child.once('exit', (code, signal) => {
    if (isStopping) return
    const lastWords = readFileSync(log, 'utf8').slice(-4_000)
    console.error(`radosgw ended with ${signal ?? code} and is started again. It said:\n${lastWords}`)
    startGateway(port)
  })
}

async function stop(): Promise<void> {
  isStopping = true
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close')))
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  process.exit()
}

/** Nobody else is let in, nothing is kept, and nothing waits for others that do not exist. */
function settings(folder: string, cluster: string, monitor: string): string {
  const modes = ['client', 'cluster', 'service', 'mon client', 'mon cluster', 'mon service']
  const lines = {
    fsid: cluster,
    'mon host': monitor,
    'public addr': '127.0.0.1',
    'ms bind ipv6': 'false',
    ...Object.fromEntries(['cluster', 'service', 'client'].map((side) => [`auth ${side} required`, 'none'])),
    // Encryption would need the keys that the lines above do without.
    ...Object.fromEntries(modes.map((side) => [`ms ${side} mode`, 'crc'])),
    'mon data': `${folder}/mon`,
    'osd data': `${folder}/osd`,
    'run dir': folder,
    'rgw data': folder,
    'admin socket': '',
    'log file': '',
    'mon cluster log file': '',
    'log to stderr': 'true',
    'osd objectstore': 'memstore',
    'memstore device bytes': 2 ** 31,
    'osd crush chooseleaf type': 0,
    'osd pool default size': 1,
    'osd pool default min size': 1,
    'mon allow pool size one': 'true',
    'osd pool default pg num': 1,
    'osd pool default pg autoscale mode': 'off',
    // The default waits of seconds are for clusters of many machines.
    'paxos propose interval': 0.01,
    'paxos min wait': 0.005,
    'mon data avail warn': 1,
    'mon data avail crit': 1,
  }
  return `[global]\n${Object.entries(lines)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')}`
}

function start(program: string, ...words: string[]): { child: ChildProcess; log: string } {
  const log = join(folder ?? '', `${program}-${children.length}.log`)
  const output = openSync(log, 'w')
  const environment = { ...process.env, CEPH_CONF: join(folder ?? '', 'ceph.conf') }
  const child = spawn(program, words, { env: environment, stdio: ['ignore', output, output] })
  child.once('error', () => {})
  children.push(child)
  return { child, log }
}

async function run(program: string, ...words: string[]): Promise<void> {
  const { child, log } = start(program, ...words)
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error').then(() => ['missing'])])
  if (code === 'missing') throw new Error(`${program} is not installed.`)
  if (code !== 0) throw new Error(`${program} failed:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
}

async function answers(endpoint: string): Promise<void> {
  for (let triesLeft = 400; triesLeft > 0; triesLeft--) {
    const isUp = await fetch(endpoint).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isUp) return
    await sleep(50)
  }
  throw new Error('radosgw does not answer.')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
