import { Refusal } from '../lib/refusal.ts'
import { messageOf } from './tell-failure.ts'

interface Work<T> {
  items: AsyncIterable<T> | Iterable<T>
  nameOf: (item: T) => string
  work: (item: T) => Promise<void>
  onStep: (done: number) => void
  /** What could not be done, for those who read the list of it. */
  trouble: (failed: number, total: number) => string
}

/** Does the same for each. One's trouble must not keep the others waiting: it is told when all have had their turn. */
export async function eachOne<T>({ items, nameOf, work, onStep, trouble }: Work<T>): Promise<number> {
  const faults: string[] = []
  let done = 0
  for await (const item of items) {
    try {
      await work(item)
    } catch (error) {
      faults.push(`${nameOf(item)}: ${messageOf(error)}`)
    }
    done += 1
    onStep(done)
  }
  if (faults.length > 0) {
    throw new Refusal('unavailable', 'some-failed', trouble(faults.length, done), { list: faults })
  }
  return done
}
