/** The result of the work, or an error if it takes too long; the work then continues, and its outcome is ignored. */
export async function withTimeout<T>(limitMs: number, work: Promise<T>, tooLate: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooLate()), limitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined)
  }
}

/** Like `Promise.all`, but if one fails it waits for the others too, so that no work goes on after the caller has returned. */
export async function allDone<const Works extends readonly Promise<unknown>[]>(
  works: Works,
): Promise<{ -readonly [Index in keyof Works]: Awaited<Works[Index]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
