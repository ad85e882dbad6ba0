import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStopwatch } from './stopwatch.ts'

/** For what never comes true: a machine with a load of ten takes long for what is true. */
const mostMs = 60_000

/** Polls, so that a test waits no longer than needed. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  using watch = startStopwatch()
  for (; !(await isTrue()); await sleep(5)) {
    if (watch.ms() > mostMs) assert.fail(`${what} within ${mostMs} ms`)
  }
}
