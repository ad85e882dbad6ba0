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
