import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Driver } from './driver-process.ts'
import { calls, isSyncIn, stepIn, stoppingCalls } from './strace.ts'

/** A system call of a driver that changed its folder, or by which it said something. */
export interface Step {
  call: string
  /** The file, within the folder. */
  path: string
  text: string
  /** Whether a file was made to last since the step before. */
  isAfterSync: boolean
  /** What the driver had said by then. */
  output: string
}

/** Lets a driver do its task. After each step all of its threads are stopped until it is decided how it goes on. */
export async function performInSteps(driver: Driver, folder: string, onStep: Stops['onStep']): Promise<void> {
  const pid = Number(driver.child.pid)
  const words = ['-f', '-y', '-p', `${pid}`, '-e', `trace=${calls}`]
  const strace = spawn('strace', [...words, '-e', `inject=${stoppingCalls}:signal=SIGSTOP`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(strace, 'close')
  const lines = createInterface({ input: strace.stderr })[Symbol.asyncIterator]()
  const { value: attached } = await lines.next()
  if (!attached?.includes('attached')) throw new Error(`strace ended: ${attached}`)
  const performed = driver.perform()
  try {
    await answerStops(driver, { folder, lines, onStep })
  } catch (error) {
    driver.child.kill('SIGKILL')
    throw error
  } finally {
    await performed
    // It would wait for the children of a driver that is dead.
    strace.kill(driver.isAlive ? 'SIGTERM' : 'SIGKILL')
    await closed
    if (driver.isAlive) driver.child.kill('SIGCONT')
  }
}

interface Stops {
  folder: string
  lines: AsyncIterator<string>
  onStep(step: Step): Promise<'go on' | 'kill'>
}

async function answerStops(driver: Driver, { folder, lines, onStep }: Stops): Promise<void> {
  const pid = Number(driver.child.pid)
  let said = 0
  let isAfterSync = false
  // The first call changes nothing yet, unless it is a step itself.
  let begin: Pick<Step, 'call' | 'path' | 'text'> | undefined = { call: '', path: '', text: 'the beginning' }
  for (let made = await callsUntilStop(pid, lines); made; made = await callsUntilStop(pid, lines)) {
    said += made.filter(isSaying).length
    isAfterSync ||= made.some((line) => isSyncIn(line, folder))
    const output = await heard(driver, said)
    const step =
      made.map((line) => stepIn(line, folder) ?? saidIn(line)).findLast((each) => each !== undefined) ?? begin
    begin = undefined
    const fate = step ? await onStep({ ...step, isAfterSync, output }) : 'go on'
    driver.child.kill(fate === 'kill' ? 'SIGKILL' : 'SIGCONT')
    if (fate === 'kill' || /^over$/m.test(output)) return
    if (step) isAfterSync = false
  }
}

/** The lines about what was called until all threads are stopped; nothing if there is none any more. */
async function callsUntilStop(pid: number, lines: AsyncIterator<string>): Promise<string[] | undefined> {
  const made: string[] = []
  const stopped = new Set<string>()
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const [, thread, isStopped] = /^\[pid +(\d+)\] (--- stopped by SIGSTOP)?/.exec(line.value) ?? []
    if (thread === undefined) continue
    if (!isStopped) {
      made.push(line.value)
      continue
    }
    const threads = readdirSync(`/proc/${pid}/task`)
    stopped.add(thread)
    // strace follows a child of the driver too, which goes on.
    if (!threads.includes(thread)) goOn(Number(thread))
    else if (threads.every((each) => stopped.has(each))) return made
  }
  return undefined
}

/** A child, or a thread of the driver, may have ended meanwhile. */
function goOn(thread: number): void {
  try {
    process.kill(thread, 'SIGCONT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const isSaying = (line: string): boolean => / write\(1</.test(line)

const saidIn = (line: string) => (isSaying(line) ? { call: 'write', path: '', text: line } : undefined)

/** Every line of its output is one call, and comes through a pipe. The first one told that it is ready. */
async function heard(driver: Driver, lines: number): Promise<string> {
  for (;;) {
    const { output } = driver
    if (output.split('\n').length - 1 > lines || !driver.isAlive) return output
    await setImmediate()
  }
}

/** Whether a thread of a process was not stopped all the time: strace may tell of a stop that goes on in another thread. */
export async function hasRunDuring(pid: number | undefined, work: () => Promise<void>): Promise<boolean> {
  const before = threadsOf(pid)
  await work()
  return !before.every(isStopped) || !isDeepStrictEqual(before, threadsOf(pid))
}

/** The state of each thread, and how often it has run. */
const threadsOf = (pid: number | undefined): string[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return (status.match(/^(State|\w*voluntary_ctxt_switches):.*$/gm) ?? []).join()
  })

const isStopped = (thread: string): boolean => /^State:\s+t /i.test(thread)
