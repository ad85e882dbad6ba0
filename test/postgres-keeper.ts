// Run as a process of its own by postgres-server.ts: brings PostgreSQL up, prints its URL, and takes everything
// away again once its input ends, which also happens when the process that started it is killed. A line with the
// name of a signal ends PostgreSQL by it and starts it again at the same place. Words are settings, `name=value`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
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
let startAgain: () => ReturnType<typeof run>

const settings = [...Object.entries(SETTINGS).map((entry) => entry.join('=')), ...process.argv.slice(2)]
let orders = begin().catch(giveUp)
process.stdin.once('close', stop)
createInterface({ input: process.stdin }).on('line', (signal) => {
  orders = orders.then(() => restart(signal as NodeJS.Signals)).catch(giveUp)
})

async function begin(): Promise<void> {
  const [spare, data] = folders
  const programs = await findPrograms(spare, account.uid !== undefined)
  // A sort order unlike character codes, so that a list that forgets to ask for them shows in a test.
  const order = ['--no-locale', '--locale-provider=icu', '--icu-locale=en', '--encoding=UTF8']
  const access = ['--username=postgres', '--auth=trust']
  const initialise = run(programs.initdb, ['-D', data, '--no-sync', ...access, ...order])
  if (!(await initialise.endsWell())) throw new Error(`initdb failed:\n${initialise.output()}`)

  // Somebody may take the free port before PostgreSQL does.
  for (let triesLeft = 3; triesLeft > 0; triesLeft--) {
    const words = wordsOf(programs.postgres, data, await freePort())
    const server = run(...words)
    if (await server.says('ready to accept connections')) {
      startAgain = () => run(...words)
      console.log(`postgres://postgres@127.0.0.1:${words[1][3]}/postgres`)
      return
    }
    if (triesLeft === 1) throw new Error(`postgres failed:\n${server.output()}`)
  }
}

function wordsOf(program: string, data: string, port: number): [string, string[]] {
  return [program, ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]]
}

/** SIGKILL: as a crash of the machine's process; SIGQUIT: `pg_ctl -m immediate`. */
async function restart(signal: NodeJS.Signals): Promise<void> {
  if (running?.kill(signal)) await once(running, 'exit')
  // What a killed one has started lives a moment longer, and none can start beside it.
  for (let triesLeft = 100; ; triesLeft--) {
    const server = startAgain()
    if (await server.says('ready to accept connections')) return void console.log('up')
    if (triesLeft === 0) throw new Error(`postgres did not come back:\n${server.output()}`)
    await sleep(50)
  }
}

async function giveUp(error: unknown): Promise<void> {
  if (!isStopping) console.error(error)
  await stop()
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
