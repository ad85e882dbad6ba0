import { allDone } from '../../../src/lib/concurrency/promises.ts'

/** Does the work for every item in order, a few at once. After the first fault no further item is begun. */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  let hasFailed = false
  async function lane(): Promise<void> {
    for (let next = rest.next(); !next.done && !hasFailed; next = rest.next()) {
      try {
        await work(next.value)
      } catch (fault) {
        hasFailed = true
        throw fault
      }
    }
  }
  await allDone(Array.from({ length: atOnce }, lane))
}
