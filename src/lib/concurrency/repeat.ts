/** Repeats work every so often, never two rounds at once. `stop` does a last one, after the one that is running. */
export function startRepeating(everyMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let last = Promise.resolve()
  let isIdle = true
  const round = () => {
    last = last.then(work)
    return last
  }
  const timer = setInterval(() => {
    if (!isIdle) return
    isIdle = false
    void round().finally(() => {
      isIdle = true
    })
  }, everyMs).unref()
  return {
    stop() {
      clearInterval(timer)
      return round()
    },
  }
}

/** Works on all items, so many at once. The work must not fail. */
export async function inParallel<T>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const workNext = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, workNext))
}
