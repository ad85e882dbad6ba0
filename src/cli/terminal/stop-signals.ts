const signals = ['SIGTERM', 'SIGINT'] as const
const stopTimeoutMs = 30_000
const echoMs = 1_000

export interface StopSignals extends Disposable {
  /** Fulfilled at the first SIGTERM or SIGINT. */
  readonly requested: Promise<void>
}

/**
 * The first signal requests a graceful stop, which may take 30 seconds. A second signal ends the process immediately,
 * unless it follows within a second: the terminal and the parent process may both deliver the same Ctrl-C.
 */
export function watchStopSignals(): StopSignals {
  const { promise, resolve } = Promise.withResolvers<void>()
  let requestedAt: number | undefined
  const onSignal = () => {
    if (requestedAt === undefined) {
      requestedAt = performance.now()
      setTimeout(() => process.exit(1), stopTimeoutMs).unref()
      resolve()
    } else if (performance.now() - requestedAt > echoMs) {
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
  return {
    requested: promise,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
