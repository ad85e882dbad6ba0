// Run as a process of its own by postgres-server.ts: brings PostgreSQL up, prints its URL, and takes everything
// away again once its input ends, which also happens when the process that started it is killed. A line `end SIGNAL`
// ends PostgreSQL, `start name=value …` starts it again on the same port and folder with more settings. Arguments are
// settings, `name=value`; after `--standby-of=FOLDER` it is a standby, copied from the folder of a PostgreSQL that is ended.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { quickestFolder } from '../run/test-folder.ts'
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
const folders = [await makeFolder(tmpdir()), await makeFolder(quickestFolder(2_000_000_000))] as const
let running: ChildProcess | undefined
let isStopping = false
let startAgain: (more: readonly string[]) => ReturnType<typeof run>

const copyWord = '--standby-of='
const words = process.argv.slice(2)
const copied = words.find((word) => word.startsWith(copyWord))?.slice(copyWord.length)
const settings = [
  ...Object.entries(SETTINGS).map((entry) => entry.join('=')),
  ...words.filter((word) => !word.startsWith(copyWord)),
]
let orders = begin().catch(giveUp)
process.stdin.once('close', stop)
createInterface({ input: process.stdin }).on('line', (line) => {
  const [order, ...rest] = line.split('\t')
  const work = () => (order === 'end' ? end(rest[0] as NodeJS.Signals) : start(rest))
  orders = orders.then(work).catch(giveUp)
})

async function begin(): Promise<void> {
  const [spare, data] = folders
  const programs = await findPrograms(spare, account.uid !== undefined)
  if (copied === undefined) await initialise(programs.initdb, data)
  else await copyAsStandby(copied, data)

  // Somebody may take the free port before PostgreSQL does.
  for (let triesLeft = 3; triesLeft > 0; triesLeft--) {
    const port = await freePort()
    startAgain = (more) => run(...wordsOf(programs.postgres, data, port, more))
    const server = startAgain([])
    if (await server.says('ready to accept')) {
      console.log(`postgres://postgres@127.0.0.1:${port}/postgres ${data}`)
      return
    }
    if (triesLeft === 1) throw new Error(`postgres failed:\n${server.output()}`)
  }
}

async function initialise(initdb: string, data: string): Promise<void> {
  // A collation that differs from character codes, so that a query without an explicit order fails a test.
  const order = ['--no-locale', '--locale-provider=icu', '--icu-locale=en', '--encoding=UTF8']
  const access = ['--username=postgres', '--auth=trust']
  const program = run(initdb, ['-D', data, '--no-sync', ...access, ...order])
  if (!(await program.endsWell())) throw new Error(`initdb failed:\n${program.output()}`)
}

async function copyAsStandby(from: string, data: string): Promise<void> {
  const program = run('cp', ['-a', `${from}/.`, data])
  if (!(await program.endsWell())) throw new Error(`cp failed:\n${program.output()}`)
  await writeFile(join(data, 'standby.signal'), '')
}

function wordsOf(program: string, data: string, port: number, more: readonly string[]): [string, string[]] {
  const all = [...settings, ...more].flatMap((setting) => ['-c', setting])
  return [program, ['-D', data, '-p', String(port), ...all]]
}

/** SIGKILL: as a crash of the machine's process; SIGQUIT: `pg_ctl -m immediate`; SIGINT: with all sessions, in order. */
async function end(signal: NodeJS.Signals): Promise<void> {
  if (running?.kill(signal)) await once(running, 'exit')
  console.log('ended')
}

/** With the address of a primary it starts as a standby. */
async function start(more: readonly string[]): Promise<void> {
  if (more.some((setting) => setting.startsWith('primary_conninfo=')))
    await writeFile(join(folders[1], 'standby.signal'), '')
  // What a killed one has started lives a moment longer, and none can start beside it.
  for (let triesLeft = 100; ; triesLeft--) {
    const server = startAgain(more)
    if (await server.says('ready to accept')) return void console.log('up')
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
  // SIGQUIT: immediately and without a checkpoint.
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
