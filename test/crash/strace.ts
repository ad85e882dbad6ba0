import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A system call of a driver: the so-manyth of its name in one thread, counted from the moment that it is told to go. */
export interface CrashPoint {
  /** The place among the driver's threads; nothing for one that is started later. */
  thread: number | undefined
  call: string
  count: number
  /** The file, within the data folder. */
  path: string
  text: string
}

/** Everything that changes a file or a folder, or waits until it is changed. */
const calls = [
  ...[
    'openat',
    'write',
    'pwrite64',
    'ftruncate',
    'copy_file_range',
    'sendfile',
    'ioctl',
    'fsync',
    'fdatasync',
  ],
  ...['mkdir', 'rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'rmdir'],
]

/** Why processes cannot be traced here; nothing when they can. */
export async function tracingFault(): Promise<string | undefined> {
  const sleeper = spawn('sleep', ['20'])
  try {
    const strace = await attach(['-p', String(sleeper.pid), '-o', '/dev/null'])
    strace.kill()
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    sleeper.kill()
  }
}

/** One run of a driver. */
interface Run {
  verb: string
  folder: string
  /** Where compiled code is kept, so that drivers start fast. */
  cache: string
  /** Another one makes other names and keys. */
  seed?: string
  /** More settings. */
  environment?: Record<string, string>
  /** The program beside this one that performs the verb. */
  driver?: string
}

interface Driver {
  child: ChildProcess
  threads: number[]
  /** Tells it to go, and waits for its end. */
  finish(): Promise<DriverEnd>
}

export interface DriverEnd {
  isKilled: boolean
  /** Whether the verb was acknowledged. */
  isDone: boolean
  output: string
}

/** Runs a verb to its end and answers with every system call that touched the folder. */
export async function recordCalls(run: Run): Promise<CrashPoint[]> {
  const { folder } = run
  const driver = await startDriver(run)
  const log = `${folder}.strace`
  const words = ['-f', '-y', '-p', String(driver.child.pid), '-e', `trace=${calls.join(',')}`, '-o', log]
  const strace = await attach(words)
  const closed = once(strace, 'close')
  const { isDone, output } = await driver.finish()
  await closed
  if (!isDone) throw new Error(`The driver failed: ${output}`)
  return pointsIn(await readFile(log, 'utf8'), folder, driver.threads)
}

function pointsIn(log: string, folder: string, threads: readonly number[]): CrashPoint[] {
  const counts = new Map<string, number>()
  return log.split('\n').flatMap((line) => {
    const [, id = '', call = ''] = /^(\d+) +(\w+)\(/.exec(line) ?? []
    if (call === '') return []
    const path = line.split(folder)[1]?.split(/[>"]/)[0]
    const row = `${id} ${call} ${isCountedByFile(call) ? path : ''}`
    const count = (counts.get(row) ?? 0) + 1
    counts.set(row, count)
    if (path === undefined || isWithoutTrace(line)) return []
    const thread = threads.indexOf(Number(id))
    return [{ thread: thread === -1 ? undefined : thread, call, count, path, text: line.slice(0, 200) }]
  })
}

/** Threads wake one another with `write`, and never the same number of times. */
const isCountedByFile = (call: string) => call === 'write'

/** Opening what is there changes nothing, and SQLite's shared memory is made anew by whoever opens a file next. */
const isWithoutTrace = (line: string) =>
  (line.includes(' openat(') && !line.includes('O_CREAT')) || /-shm>?[,")]/.test(line.split(' = ')[0] ?? '')

/** Runs a verb and lets something befall it in place of the system call: `signal=SIGKILL`, `error=ENOSPC`. */
export async function strikeAt(point: CrashPoint, fate: string, run: Run): Promise<DriverEnd> {
  const driver = await startDriver(run)
  const { thread, call, count, path } = point
  const target = thread === undefined ? ['-f', '-p', driver.threads[0]] : ['-p', driver.threads[thread]]
  const inject = `inject=${call}:${fate}:when=${count}`
  const only = isCountedByFile(call) ? ['-P', `${run.folder}${path}`] : []
  const words = [...target.map(String), ...only, '-e', `trace=${call}`, '-e', inject, '-o', '/dev/null']
  const strace = await attach(words)
  const closed = once(strace, 'close')
  const end = await driver.finish()
  await closed
  return end
}

export async function startDriver(run: Run): Promise<Driver> {
  const { verb, folder, cache, seed = '', environment, driver = 'driver.ts' } = run
  const program = fileURLToPath(new URL(driver, import.meta.url))
  const child = spawn(process.execPath, [program, verb, folder, seed], {
    // One thread for files, so that their calls are counted in one row.
    env: { ...environment, NODE_COMPILE_CACHE: cache, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const closed = once(child, 'close')
  const ready = Promise.withResolvers<string>()
  const keep = (chunk: Buffer) => {
    output += chunk
    if (output.includes('\n')) ready.resolve(output)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  // One that is killed does not read what it is told.
  child.stdin.on('error', () => undefined)
  const [line = ''] = (await Promise.race([ready.promise, closed.then(() => output)])).split('\n')
  if (!line.startsWith('ready ')) throw new Error(`The driver did not start: ${output}`)
  return {
    child,
    threads: JSON.parse(line.slice('ready '.length)).threads,
    async finish() {
      child.stdin.write('go\n')
      const [, signal] = await closed
      return { isKilled: signal === 'SIGKILL', isDone: /^done /m.test(output), output }
    },
  }
}

/** Starts strace and waits until it holds its process. */
export async function attach(words: string[]): Promise<ChildProcess> {
  const strace = spawn('strace', words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
  let text = ''
  strace.stderr.on('data', (chunk) => {
    text += chunk
    if (/attached/.test(text)) resolve(strace)
  })
  strace.on('error', reject)
  strace.on('close', () => reject(new Error(`strace ended: ${text}`)))
  return promise
}

/** Of a long row of writes to one file the first two, some between, and the last. */
export function thinned(points: readonly CrashPoint[]): CrashPoint[] {
  const isSameRow = (one?: CrashPoint, two?: CrashPoint) =>
    one?.call === 'pwrite64' && two?.call === 'pwrite64' && one.path === two.path
  let length = 0
  return points.filter((point, place) => {
    length = isSameRow(points[place - 1], point) ? length + 1 : 0
    return length < 2 || length % 8 === 0 || !isSameRow(point, points[place + 1])
  })
}
