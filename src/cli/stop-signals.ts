const signals = ['SIGTERM', 'SIGINT'] as const
const longestStopMs = 30_000
const echoMs = 1_000

export interface StopSignals extends Disposable {
  /** Fulfilled when we are asked to stop. */
  readonly asked: Promise<void>
}

/**
 * The first signal asks to stop, and what is under way has half a minute to end. A second one ends the process at
 * once, unless it is only an echo of the first: a terminal and the program that started us may both deliver it.
 */
export function watchStopSignals(): StopSignals {
  const { promise, resolve } = Promise.withResolvers<void>()
  let askedAt: number | undefined
  const onSignal = () => {
    if (askedAt === undefined) {
      askedAt = performance.now()
      setTimeout(() => process.exit(1), longestStopMs).unref()
      resolve()
    } else if (performance.now() - askedAt > echoMs) {
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
  return {
    asked: promise,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
