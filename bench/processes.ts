import { globSync, readdirSync, readFileSync } from 'node:fs'

/** Milliseconds in one unit of /proc/…/stat. */
const tickMs = 10

/** CPU time of a process so far, its threads included, in milliseconds: also of those that have ended. */
export function cpuOfProcess(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** CPU time of everything that a process has started and that has ended, in milliseconds. */
export function cpuOfEnded(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[13]) + Number(fields[14])) * tickMs
}

/** A process and everything it has started. */
export function treeOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => Number(statOf(each)[1]) === pid)
  return [pid, ...children.flatMap(treeOf)]
}

export const cpuOfTree = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => sum + cpuOfProcess(each), 0)

/** CPU time of a server with its decoders and programs, those that have ended too, in milliseconds. */
export const cpuOfService = (pid: number): number => cpuOfTree(pid) + cpuOfEnded(pid)

/** CPU time of a process and everything it has started, for a single piece of work: exact, but only of threads that live. */
export const cpuOfThreads = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => sum + cpuOfOwnThreads(each), 0)

/** Of the process alone. */
export const cpuOfOwnThreads = (pid: number): number =>
  globSync(`/proc/${pid}/task/*/schedstat`).reduce(
    (sum, path) => sum + Number(readQuietly(path).split(' ', 1)) / 1e6,
    0,
  )

/** The command of a process, its words apart by NUL. */
export const commandOf = (pid: number): string => readQuietly(`/proc/${pid}/cmdline`)

/** The same by thread, of processes that live: who it is of, `server` or `decoder`, and the thread's name. */
export function cpuByThread(server: number): Map<string, number> {
  const spent = new Map<string, number>()
  for (const pid of treeOf(server)) {
    for (const path of globSync(`/proc/${pid}/task/*`)) {
      const name = path.endsWith(`/${pid}`) ? 'main' : readQuietly(`${path}/comm`).trim()
      const thread = `${pid === server ? 'server' : 'decoder'}, ${kindOfThread(name)}`
      const ms = Number(readQuietly(`${path}/schedstat`).split(' ', 1)) / 1e6
      spent.set(thread, (spent.get(thread) ?? 0) + ms)
    }
  }
  return spent
}

/** By the names that Node, libuv and libvips give to their threads. */
function kindOfThread(name: string): string {
  if (name === 'main') return 'main thread'
  if (name.startsWith('libuv')) return 'thread pool'
  if (name === 'WorkerThread') return 'worker threads'
  return /V8|DelayedTask|SignalInsp/.test(name) ? "V8's threads" : `threads of libraries`
}

/** The most memory that each of them has had, added up. */
export function peakOfTree(pid: number): number {
  return treeOf(pid).reduce((sum, each) => sum + peakOf(each), 0)
}

/** The memory of one process now. */
export function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readQuietly(`/proc/${pid}/status`))?.[1]
  return Number(kilobytes ?? 0) * 1_024
}

/**
 * The memory of a process and everything it has started, as if no other ran: their own pages, and each file that they map
 * once, as much of it as the process has that uses the most. PSS would credit them with what other programs share, such as
 * another server of the same packages, or the measurement itself.
 */
export function memoryOfTree(pid: number): number {
  const perFile = new Map<string, number>()
  let ownKilobytes = 0
  for (const each of treeOf(pid)) {
    const { own, files } = mappingsOf(each)
    ownKilobytes += own
    for (const [file, kilobytes] of files) perFile.set(file, Math.max(kilobytes, perFile.get(file) ?? 0))
  }
  return (ownKilobytes + [...perFile.values()].reduce((sum, each) => sum + each, 0)) * 1_024
}

/** Kilobytes of a process in memory: pages of its own, and those that are as in a file. */
function mappingsOf(pid: number) {
  const files = new Map<string, number>()
  let own = 0
  for (const mapping of readQuietly(`/proc/${pid}/smaps`).split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
    const kilobytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(mapping)?.[1] ?? 0)
    own += kilobytes('Anonymous')
    const file = /^(?:\S+ +){5}(\/.*)$/m.exec(mapping)?.[1]
    if (file !== undefined)
      files.set(file, (files.get(file) ?? 0) + kilobytes('Rss') - kilobytes('Anonymous'))
  }
  return { own, files }
}

function peakOf(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readQuietly(`/proc/${pid}/status`))?.[1]
  return Number(kilobytes ?? 0) * 1_024
}

function statOf(pid: number): string[] {
  const stat = readQuietly(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** A process may end while it is looked at. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
