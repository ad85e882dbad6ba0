import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { App } from '../../app.ts'
import type { Environment } from '../../config.ts'
import { uncleanlyClosedSites } from '../../db/index.ts'
import { prepareJobs } from '../../jobs/index.ts'

/** The pause before a process that has ended is started again; doubled each time it ends early. */
const shortestPauseMs = 500
const longestPauseMs = 30_000
/** A process that ran this long has not ended early. */
const steadyMs = 60_000

const program = fileURLToPath(new URL('../../further-process.ts', import.meta.url))

interface Starting {
  /** On which the first process listens. */
  port: number
  environment: Environment
}

/** Starts the further processes of the server, and starts again those that end. Disposal stops them and waits for them. */
export function startFurtherProcesses(app: App, starting: Starting): AsyncDisposable {
  const stop = new AbortController()
  const { count } = app.processes
  const running = Array.from({ length: count - 1 }, () => keepRunning(app, starting, stop.signal))
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

async function keepRunning(app: App, starting: Starting, stop: AbortSignal): Promise<void> {
  let pauseMs = shortestPauseMs
  while (!stop.aborted) {
    const startedAt = performance.now()
    const how = await runProcess(app, starting, stop)
    if (stop.aborted) return
    const ranMs = performance.now() - startedAt
    pauseMs = ranMs > steadyMs ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs)
    app.log.error({ ...how, ranMs: Math.round(ranMs), pauseMs }, 'A process of the server has ended')
    await reconcile(app)
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

interface End {
  pid: number | undefined
  exitCode: number | null
  signal: string | null
}

/**
 * Without a larger heap to begin with, and with few arenas of the C library: it has 113 to 135 MiB of its own after load
 * instead of 148. Decoders, which allocate most, belong to the first process.
 */
async function runProcess(app: App, { port, environment }: Starting, stop: AbortSignal): Promise<End> {
  const child = fork(program, [String(app.processes.count), String(port)], {
    serialization: 'advanced',
    execArgv: process.execArgv.filter((flag) => !/^--initial-old-space-size=/.test(flag)),
    env: { MALLOC_ARENA_MAX: '2', ...environment },
  })
  app.processes.add(child)
  const onStop = () => child.kill('SIGTERM')
  stop.addEventListener('abort', onStop)
  try {
    const [exitCode, signal] = await ended(child)
    return { pid: child.pid, exitCode, signal }
  } finally {
    stop.removeEventListener('abort', onStop)
  }
}

/** A process that cannot be started has an error and no exit. */
const ended = (child: ChildProcess): Promise<[number | null, string | null]> =>
  Promise.race([
    once(child, 'exit') as Promise<[number | null, string | null]>,
    new Promise<[null, string]>((resolve) => child.once('error', ({ message }) => resolve([null, message]))),
  ])

/** A killed process may have changed sites without syncing their stats, as after an unclean shutdown. */
async function reconcile(app: App): Promise<void> {
  const { databaseUrl, dataDir } = app.config
  try {
    await prepareJobs(app, databaseUrl === undefined ? await uncleanlyClosedSites(dataDir) : [])
  } catch (error) {
    app.log.warn({ error: String(error) }, 'The sites of a process that has ended could not be scheduled')
  }
}
