import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { callsOf } from '../../support/faults/system-calls.ts'
import type { Driver, DriverEnd } from './driver-process.ts'
import { restWord, type Task } from './rounds.ts'

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

const uninterrupted = [
  'openat',
  'write',
  'pwrite64',
  'writev',
  'ftruncate',
  'ioctl',
  'mkdir',
  'rename',
  'link',
  'unlink',
]
const changing = [...uninterrupted, 'copy_file_range', 'sendfile']

const syncing = ['fsync', 'fdatasync']

/** Everything that changes a file or a folder, or waits until it is changed. */
export const calls = callsOf([...changing, ...syncing])

/** What changes a file or a folder, without the calls that a signal makes begin anew. */
export const stoppingCalls = callsOf(uninterrupted)

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

/** Lets a driver do its task to the end, or until it rests, and answers with every system call that touched the folder. */
export async function recordCalls(driver: Driver, task: Task): Promise<CrashPoint[]> {
  const { folder } = task
  const threads = await driver.prepare(task)
  const log = `${folder}.strace`
  const words = ['-f', '-y', '-p', String(driver.child.pid), '-e', `trace=${calls}`, '-o', log]
  const { isDone, output } = await performTraced(driver, words)
  if (!isDone) throw new Error(`The driver failed: ${output}`)
  const [work = ''] = (await readFile(log, 'utf8')).split(`"${restWord}\\n"`)
  return pointsIn(work, folder, threads)
}

async function performTraced(driver: Driver, words: string[]): Promise<DriverEnd> {
  const strace = await attach(words)
  const closed = once(strace, 'close')
  const end = await driver.perform()
  // It would wait for the children of a driver that is dead; its log is not needed then.
  strace.kill(end.isKilled ? 'SIGKILL' : 'SIGTERM')
  await closed
  return end
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

/** Threads wake one another with `write`, answer with `writev` and look after a decoder with `openat`, never the same number of times. */
const isCountedByFile = (call: string) => ['write', 'writev', 'openat'].includes(call)

/** Opening what is there changes nothing, and SQLite's shared memory is made anew by whoever opens a file next. */
const isWithoutTrace = (line: string) =>
  (line.includes(' openat(') && !line.includes('O_CREAT')) || /-shm>?[,")]/.test(line.split(' = ')[0] ?? '')

/** What a call of a traced thread changed in the folder; nothing if it left its bytes as they were. */
export function stepIn(line: string, folder: string): Pick<CrashPoint, 'call' | 'path' | 'text'> | undefined {
  const path = line.split(folder)[1]?.split(/[>"]/)[0]
  const call = / (\w+)\(/.exec(line)?.[1]
  if (path === undefined || call === undefined || syncing.includes(call)) return undefined
  if (isWithoutTrace(line) || hasFailed(line)) return undefined
  return { call, path, text: line.slice(0, 200) }
}

/** Whether a call of a traced thread waited until a file of the folder was on the disk. */
export const isSyncIn = (line: string, folder: string): boolean =>
  line.includes(folder) && / f(data)?sync\(/.test(line)

const hasFailed = (line: string): boolean => / = -1 E/.test(line)

export interface Strike {
  point: CrashPoint
  /** What happens in place of the system call: `signal=SIGKILL`, `error=ENOSPC`. */
  fate: string
}

export async function strikeAt(
  driver: Driver,
  task: Task,
  { point, fate }: Strike,
): Promise<DriverEnd & { isStruck: boolean }> {
  const threads = await driver.prepare(task)
  const { thread, call, count, path } = point
  const target = thread === undefined ? ['-f', '-p', threads[0]] : ['-p', threads[thread]]
  const inject = `inject=${call}:${fate}:when=${count}`
  const only = isCountedByFile(call) ? ['-P', `${task.folder}${path}`] : []
  const log = `${task.folder}.struck`
  const words = [...target.map(String), ...only, '-e', `trace=${call}`, '-e', inject, '-o', log]
  const end = await performTraced(driver, words)
  return { ...end, isStruck: end.isKilled || (await readFile(log, 'utf8')).includes('INJECTED') }
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

interface Written {
  call: string
  path: string
  /** Whether the bytes of the call before were on the disk by then. */
  isAfterSync?: boolean
}

/** Of a long row of writes to one file the first two, some between, and the last. */
export function thinned<Point extends Written>(points: readonly Point[]): Point[] {
  const isSameRow = (one?: Point, two?: Point) =>
    one?.call === 'pwrite64' && two?.call === 'pwrite64' && one.path === two.path && !two.isAfterSync
  let length = 0
  return points.filter((point, index) => {
    length = isSameRow(points[index - 1], point) ? length + 1 : 0
    return length < 2 || length % 8 === 0 || !isSameRow(point, points[index + 1])
  })
}
