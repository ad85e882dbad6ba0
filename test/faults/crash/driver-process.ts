import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathOfProgram, type TestProgram } from '../../support/run/test-programs.ts'
import type { Task } from './rounds.ts'

/** How a driver is started. */
export interface Program {
  driver?: TestProgram
  /** More settings. */
  environment?: Record<string, string>
}

export interface DriverEnd {
  isKilled: boolean
  /** Whether the verb was acknowledged. */
  isDone: boolean
  output: string
}

/** A process that does one task after the other, unless it is killed at one. */
export interface Driver extends AsyncDisposable {
  child: ChildProcess
  readonly isAlive: boolean
  /** What it has said since it was ready. */
  readonly output: string
  /** Answers with its threads, once they are at rest. */
  prepare(task: Task): Promise<number[]>
  /** Tells it to go, and waits until the task is over. */
  perform(): Promise<DriverEnd>
}

/** A driver lives for a second: to optimise its code costs more than it gains, 0.05 s of 0.6 s of CPU. */
const shortLived = ['--no-opt', '--no-maglev']

export function startDriver({ driver = 'driver.ts', environment }: Program): Driver {
  const { NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [...shortLived, pathOfProgram(driver)], {
    // One thread for files, so that their calls are counted in one row.
    env: { ...environment, NODE_COMPILE_CACHE, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let output = ''
  let heard = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      heard.resolve()
    })
  }
  // One that is killed does not read what it is told.
  child.stdin.on('error', () => undefined)
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const tellAndHear = async (line: string, answer: RegExp) => {
    child.stdin.write(`${line}\n`)
    for (; isAlive() && !answer.test(output); heard = Promise.withResolvers()) {
      await Promise.race([heard.promise, closed])
    }
    // What it printed last may be on its way yet.
    if (!isAlive()) await closed
    return answer.exec(output)?.[1]
  }
  return {
    child,
    get isAlive() {
      return isAlive()
    },
    get output() {
      return output
    },
    async prepare(task) {
      output = ''
      const threads = await tellAndHear(JSON.stringify(task), /^ready (.*)\n/m)
      if (threads === undefined) throw new Error(`The driver did not start: ${output}`)
      return JSON.parse(threads)
    },
    async perform() {
      await tellAndHear('go', /^over()\n/m)
      return { isKilled: child.signalCode === 'SIGKILL', isDone: /^done /m.test(output), output }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    },
  }
}
