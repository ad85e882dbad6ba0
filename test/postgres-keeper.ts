// Run as a process of its own by postgres-server.ts: brings PostgreSQL up, prints its URL, and takes everything
// away again once its input ends, which also happens when the process that started it is killed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPrograms } from './postgres-programs.ts'

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '400',
  max_wal_size: '128MB',
  // The folder is thrown away, so nothing in it has to survive a crash.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
}

// PostgreSQL refuses to run as root; any other account will do.
const account = process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {}
const folders = [await makeFolder(tmpdir()), await makeFolder(await quickestFolder())] as const
let running: ChildProcess | undefined
let isStopping = false

process.stdin.once('close', stop).resume()
try {
  await start()
} catch (error) {
  if (!isStopping) console.error(error)
  await stop()
}

async function start(): Promise<void> {
  const [spare, data] = folders
  const programs = await findPrograms(spare, account.uid !== undefined)
  // A sort order unlike character codes, so that a list that forgets to ask for them shows in a test.
  const order = ['--no-locale', '--locale-provider=icu', '--icu-locale=en', '--encoding=UTF8']
  const access = ['--username=postgres', '--auth=trust']
  const initialise = run(programs.initdb, ['-D', data, '--no-sync', ...access, ...order])
  if (!(await initialise.endsWell())) throw new Error(`initdb failed:\n${initialise.output()}`)

  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Somebody may take the free port before PostgreSQL does.
  for (let triesLeft = 3; triesLeft > 0; triesLeft--) {
    const port = await freePort()
    const server = run(programs.postgres, ['-D', data, '-p', String(port), ...settings])
    if (await server.says('ready to accept connections')) {
      console.log(`postgres://postgres@127.0.0.1:${port}/postgres`)
      return
    }
    if (triesLeft === 1) throw new Error(`postgres failed:\n${server.output()}`)
  }
}

async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  // SIGQUIT: at once and without writing anything down.
  if (running?.kill('SIGQUIT')) await once(running, 'exit')
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
  process.exit()
}

function run(program: string, words: string[]) {
  if (isStopping) throw new Error('Nothing is started any more.')
  const child = spawn(program, words, { ...account, stdio: ['ignore', 'pipe', 'pipe'] })
  running = child
  let output = ''
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
  const keep = (chunk: Buffer) => {
    // Enough for any complaint at the start; a long test run must not fill the memory.
    if (output.length < 100_000) output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return {
    endsWell: () => ended,
    output: () => output,
    says: (words: string) =>
      Promise.race([
        ended.then(() => false),
        new Promise<boolean>((resolve) => {
          child.stderr.on('data', () => output.includes(words) && resolve(true))
        }),
      ]),
  }
}

async function makeFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'terrace-postgres-'))
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
  return folder
}

/** In memory a new database takes 15 ms, on a disk it can take 150. */
async function quickestFolder(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > 2_000_000_000 ? memory : tmpdir()
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

function idOfNobody(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }))
}
