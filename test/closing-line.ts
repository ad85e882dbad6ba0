import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Ends the run with one plain line that people and programs can read alike. */
export const closingLine: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      if (isBrokenOutsideTests(module)) count.failed += 1
    }
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped`
    // The default reporter writes on while the run closes; at exit nobody writes any more.
    process.once('exit', () => writeSync(1, `${line}\n`))
  },
}

/** A file that could not be loaded or whose hooks failed has no failed test, yet it failed. */
function isBrokenOutsideTests(module: TestModule): boolean {
  return module.state() === 'failed' && module.children.allTests('failed').next().done === true
}
