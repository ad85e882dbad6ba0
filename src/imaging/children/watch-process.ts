import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export interface ProcessLimits {
  maxMemoryBytes: number
  /** CPU time from now on. */
  maxCpuSeconds: number
  /** Wall-clock time, which on a busy machine is much more than CPU time. */
  maxWallSeconds: number
}

export type ExceededLimit = 'memory' | 'cpu' | 'wall'

const CHECK_EVERY_MS = 200

/** Watches a process until disposed, and reports the first limit that it exceeds. */
export function watchProcess(
  pid: number | undefined,
  limits: ProcessLimits,
  onExceeded: (limit: ExceededLimit) => void,
): Disposable {
  let usedAtStart: number | undefined
  let isOver = false
  const report = (limit: ExceededLimit) => {
    if (!isOver) onExceeded(limit)
    isOver = true
  }
  const checks = setInterval(async () => {
    if (residentBytes(pid) > limits.maxMemoryBytes) return report('memory')
    const used = await cpuSeconds(pid)
    // Read at the first check and not at the start: most jobs end before it, and need no reading then.
    usedAtStart ??= used
    if (used === undefined || usedAtStart === undefined) return
    if (used - usedAtStart >= limits.maxCpuSeconds) report('cpu')
  }, CHECK_EVERY_MS)
  const timer = setTimeout(() => report('wall'), limits.maxWallSeconds * 1_000)
  return {
    [Symbol.dispose]() {
      isOver = true
      clearInterval(checks)
      clearTimeout(timer)
    },
  }
}

/** The unit of times in /proc (USER_HZ), fixed for user space whatever the kernel's own clock rate is. */
const TICKS_PER_SECOND = 100

const run = promisify(execFile)

/** The resident memory of a process; 0 if the system does not report it. */
export function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The CPU time that all threads of a process have used; undefined if the process has ended or the system does not report it. */
async function cpuSeconds(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined
  try {
    return process.platform === 'linux' ? secondsInProc(pid) : await secondsByPs(pid)
  } catch {
    return undefined
  }
}

function secondsInProc(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The program's name may contain spaces and brackets, so fields are counted from its closing bracket on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

async function secondsByPs(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'time=', '-p', String(pid)])
  return parsePsTime(stdout)
}

/** `[[days-]hours:]minutes:seconds`, as `ps` prints it. */
export function parsePsTime(text: string): number {
  const [clock = '', days = '0'] = text.trim().split('-').reverse()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Number(days) * 86_400 + seconds
}

/** Signals that a process causes itself: crashes, aborts and exceeded resource limits. */
const OWN_FAULTS: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGSEGV',
  'SIGBUS',
  'SIGILL',
  'SIGFPE',
  'SIGABRT',
  'SIGTRAP',
  'SIGSYS',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGPIPE',
] as const)

/** True if the out-of-memory killer or an operator ended the process, and not the file that it read. */
export const isKilledFromOutside = (signal: NodeJS.Signals | null): boolean =>
  signal !== null && !OWN_FAULTS.has(signal)
