const tickMs = 10

/**
 * Time as this process gets it: each tick counts 10 ms, however late it comes. Where the machine is loaded ten times
 * over, a limit of one second is ten seconds long, and what never happens is still told.
 */
export function startStopwatch(): Disposable & { ms(): number } {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, tickMs)
  return { ms: () => ticks * tickMs, [Symbol.dispose]: () => clearInterval(timer) }
}
