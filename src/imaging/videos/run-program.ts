import { type ChildProcess, spawn } from 'node:child_process'
import { decoderUnavailable } from '../errors.ts'
import { residentBytes } from '../resident-bytes.ts'

export interface Running {
  seconds: number
  maxMemoryBytes: number
  /** Ends it before its time. */
  signal: AbortSignal
}

export interface Ended {
  /** It told so itself, in its time. */
  isDone: boolean
  isLate: boolean
  complaints: string
}

const LOOK_EVERY_MS = 200
const COMPLAINTS_LENGTH = 2000

/**
 * Runs a program to its end, and sees to it that neither it nor anything that it started outlives that. It is not asked to
 * end, since it might not heed that: its whole group is killed.
 */
export async function runProgram(command: readonly string[], running: Running): Promise<Ended> {
  const [program = '', ...words] = command
  const started = spawn(program, words, {
    ...{ cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'pipe'] },
    // The leader of a group of its own.
    detached: true,
  })
  const ended = Promise.withResolvers<number | null>()
  const complaints = hear(started)
  let isLate = false
  const kill = () => killGroup(started)
  const clock = setTimeout(() => {
    isLate = true
    kill()
  }, running.seconds * 1_000)
  const look = setInterval(() => {
    if (residentBytes(started.pid) > running.maxMemoryBytes) kill()
  }, LOOK_EVERY_MS)
  running.signal.addEventListener('abort', kill, { once: true })
  started.once('error', (error) => ended.reject(decoderUnavailable(error.message)))
  // Not its streams: what it started may hold them.
  started.once('exit', (code) => ended.resolve(code))
  try {
    if (running.signal.aborted) kill()
    const code = await ended.promise
    if (code !== null && NOT_STARTED.includes(code)) throw decoderUnavailable(complaints.text)
    return { isDone: code === 0 && !isLate, isLate, complaints: complaints.text }
  } finally {
    clearTimeout(clock)
    clearInterval(look)
    running.signal.removeEventListener('abort', kill)
    kill()
    started.stderr?.destroy()
  }
}

/** What the programs that confine it end with when they do not find it or may not run it. */
const NOT_STARTED = [126, 127]

function hear({ stderr }: ChildProcess): { text: string } {
  const heard = { text: '' }
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    heard.text = (heard.text + text).slice(-COMPLAINTS_LENGTH)
  })
  return heard
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left of it.
  }
}
