import { Refusal } from '../../../lib/refusal.ts'
import { messageOf } from '../../terminal/print-error.ts'

interface Work<T> {
  items: AsyncIterable<T> | Iterable<T>
  nameOf: (item: T) => string
  work: (item: T) => Promise<void>
  onStep: (done: number) => void
  /** The heading of the list of failures. */
  failureText: (failed: number, total: number) => string
}

/** Runs `work` for every item. If it fails for some, the others still run, and all failures are reported at the end. */
export async function tryEach<T>({ items, nameOf, work, onStep, failureText }: Work<T>): Promise<number> {
  const faults: string[] = []
  let done = 0
  onStep(done)
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
    throw new Refusal('unavailable', 'some-failed', failureText(faults.length, done), { list: faults })
  }
  return done
}
