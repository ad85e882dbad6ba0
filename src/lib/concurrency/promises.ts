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

/** The first answer. The second is asked for if the first is late or an error; if both fail, its error counts. */
export async function hedged<T>(
  first: Promise<T>,
  second: () => Promise<T>,
  lateAfterMs: number,
): Promise<T> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(true), lateAfterMs)
  const failed = first.then(
    () => false,
    () => true,
  )
  const isNeeded = await Promise.race([failed, late.promise]).finally(() => clearTimeout(timer))
  if (!isNeeded) return first
  return Promise.any([first, second()]).catch((faults: AggregateError) => Promise.reject(faults.errors[1]))
}
