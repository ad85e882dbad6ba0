/** The timers that this process sets from now on, which can run out before their time. */
export interface MovedTimers extends Disposable {
  /** Lets the timers of so many seconds run out now; says how many there were. */
  runOut(seconds: number): number
}

/** For limits of a minute and more: what a test looks at is what follows when they run out. */
export function moveTimers(): MovedTimers {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const pending = new Map<NodeJS.Timeout, { ms: number; run: () => void }>()
  const setMoved = (callback: (...words: unknown[]) => void, ms = 0, ...words: unknown[]) => {
    const run = () => {
      pending.delete(timer)
      callback(...words)
    }
    const timer = set(run, ms)
    pending.set(timer, { ms, run })
    return timer
  }
  const clearMoved = (timer: NodeJS.Timeout | undefined) => {
    if (timer) pending.delete(timer)
    clear(timer)
  }
  Object.assign(globalThis, { setTimeout: Object.assign(setMoved, set), clearTimeout: clearMoved })
  return {
    runOut(seconds) {
      const ending = [...pending].filter(([, { ms }]) => ms === seconds * 1_000)
      for (const [timer, { run }] of ending) {
        clear(timer)
        run()
      }
      return ending.length
    },
    [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }),
  }
}
