/** Caches the result of a function, or its error, for this long; concurrent callers share one call. */
export function cacheFor<T>(keptMs: number, call: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  let settledAt: number | undefined
  return () => {
    if (result && (settledAt === undefined || performance.now() - settledAt < keptMs)) return result
    settledAt = undefined
    result = call()
    const setTime = () => {
      settledAt = performance.now()
    }
    result.then(setTime, setTime)
    return result
  }
}
