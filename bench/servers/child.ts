import { fork } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PRODUCTION_FLAGS } from '../../boot.mjs'

export interface ChildServer extends AsyncDisposable {
  port: number
  /** The message that the server sent when it was up. */
  credentials: Record<string, string>
  /** CPU time of the whole process so far, its threads included. */
  cpuMicroseconds(): Promise<number>
  rssBytes(): Promise<number>
  /** The 99th percentile of the event loop's delay since the last question, in milliseconds; watched from the first on. */
  loopDelayMs(): Promise<number>
  pid: number
}

interface Up {
  port: number
  credentials?: Record<string, string>
}

/** Runs a server of this folder in a separate process, so that only its CPU time is counted. */
export async function startChild(script: string, argument: unknown): Promise<ChildServer> {
  const child = fork(new URL(script, import.meta.url), [JSON.stringify(argument)], {
    execArgv: PRODUCTION_FLAGS,
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const ask = async <T>(question?: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const onMessage = (answer: unknown) => resolve(answer as T)
    const fail = (code: number | null) => reject(new Error(`${script} ended with ${code}.`))
    child.once('message', onMessage).once('exit', fail)
    if (question) child.send(question)
    return promise.finally(() => child.off('message', onMessage).off('exit', fail))
  }
  const { port, credentials = {} } = await ask<Up>()
  return {
    port,
    credentials,
    cpuMicroseconds: () => ask('cpu'),
    rssBytes: () => ask('rss'),
    loopDelayMs: () => ask('delay'),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    },
  }
}

/** The other end of the line. */
export function answerParent(up: Up): void {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const answers: Readonly<Record<string, () => number>> = {
    cpu: () => process.cpuUsage().user + process.cpuUsage().system,
    rss: () => process.memoryUsage.rss(),
    delay() {
      const milliseconds = delay.percentile(99) / 1e6
      delay.reset()
      delay.enable()
      return milliseconds
    },
  }
  process.on('message', (question) => process.send?.(answers[String(question)]?.()))
  // Without this a server would outlive a measurement that failed.
  process.on('disconnect', () => process.exit())
  process.send?.(up)
}
