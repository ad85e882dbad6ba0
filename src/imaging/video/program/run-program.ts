import { type ChildProcess, spawn } from 'node:child_process'
import {
  type ExceededLimit,
  isKilledFromOutside,
  type ProcessLimits,
  watchProcess,
} from '../../children/watch-process.ts'
import { decoderKilled, decoderUnavailable } from '../../errors.ts'

export interface RunOptions extends ProcessLimits {
  /** The working directory. */
  folder: string
  /** Kills the program when aborted. */
  signal: AbortSignal
}

export interface Ended {
  /** It exited with 0 and within its limits. */
  isDone: boolean
  /** The limit that we killed it for. */
  exceeded: ExceededLimit | undefined
  stderr: string
}

const MAX_STDERR_LENGTH = 2000

/**
 * Runs a program to its end. Then its whole process group is killed, so that no process that it started survives. If the kernel
 * or an operator kills the program, it is run once more.
 */
export async function runProgram(command: readonly string[], options: RunOptions): Promise<Ended> {
  const ended = await runOnce(command, options)
  if (!ended.isKilled) return ended
  const again = await runOnce(command, options)
  if (again.isKilled) throw decoderKilled(again.stderr)
  return again
}

async function runOnce(
  command: readonly string[],
  options: RunOptions,
): Promise<Ended & { isKilled: boolean }> {
  const [program = '', ...args] = command
  const started = spawn(program, args, {
    cwd: options.folder,
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
    // As the leader of a new process group.
    detached: true,
  })
  const ended = Promise.withResolvers<[code: number | null, signal: NodeJS.Signals | null]>()
  const errors = collectErrors(started)
  let exceeded: ExceededLimit | undefined
  const kill = () => killGroup(started)
  using _watch = watchProcess(started.pid, options, (limit) => {
    exceeded = limit
    kill()
  })
  options.signal.addEventListener('abort', kill, { once: true })
  started.once('error', (error) => ended.reject(decoderUnavailable(error.message)))
  // 'exit' and not 'close': a process that it started may keep the streams open.
  started.once('exit', (code, signal) => ended.resolve([code, signal]))
  try {
    if (options.signal.aborted) kill()
    const [code, signal] = await ended.promise
    if (code !== null && NOT_STARTED.includes(code)) throw decoderUnavailable(errors.text)
    const isKilledByUs = exceeded !== undefined || options.signal.aborted
    const isKilled = !isKilledByUs && isKilledFromOutside(signal)
    return { isDone: code === 0 && exceeded === undefined, exceeded, isKilled, stderr: errors.text }
  } finally {
    options.signal.removeEventListener('abort', kill)
    kill()
    started.stderr?.destroy()
  }
}

/** Exit codes of the sandbox programs if the program is missing or may not be executed. */
const NOT_STARTED = [126, 127]

function collectErrors({ stderr }: ChildProcess): { text: string } {
  const errors = { text: '' }
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors.text = (errors.text + text).slice(-MAX_STDERR_LENGTH)
  })
  return errors
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no process left.
  }
}
