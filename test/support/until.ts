import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStopwatch } from './stopwatch.ts'

/** For what never comes true: a machine with a load of ten takes long for what is true. */
const mostMs = 60_000

/** Polls, so that a test waits little longer than needed: more seldom the longer it takes, for a look may cost as much as a test. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  using watch = startStopwatch()
  for (; !(await isTrue()); await sleep(Math.min(5 + watch.ms() / 20, 200))) {
    if (watch.ms() > mostMs) assert.fail(`${what} within ${mostMs} ms`)
  }
}
