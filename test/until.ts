import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const mostMs = 20_000

/** Polls, so that nobody waits longer than needed. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + mostMs; !(await isTrue()); await sleep(5)) {
    if (performance.now() > end) assert.fail(`${what} within ${mostMs} ms`)
  }
}
