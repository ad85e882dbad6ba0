import { writeFileSync, writeSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { readNeed } from './skip-reason.ts'

/** Skips that are right even where everything is installed, each with its reason. The list is meant to stay short. */
const allowedSkips: readonly { name: RegExp; reason: string }[] = [
  { name: /\[needs citus: /, reason: 'Citus is no package of Debian: TEST_CITUS_URL names a coordinator' },
]

const slowestShown = 12

/**
 * Ends the run with where the time went, what was skipped and why, and one plain line that people and programs can read
 * alike. With TEST_SKIPS=fail, as in CI, a skip that is not on the list fails the run. TEST_FAILED_LIST names a file that
 * gets the paths of the test files that failed: CI runs those once more, alone.
 */
export const runReport: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
    const skipped: TestCase[] = []
    const failedFiles: string[] = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state] += 1
        if (state === 'skipped' || state === 'pending') skipped.push(test)
      }
      if (isBrokenOutsideTests(module)) count.failed += 1
      if (module.state() === 'failed') failedFiles.push(relative(process.cwd(), module.moduleId))
    }
    const unexpected = skipped.filter((test) => !allowedSkips.some(({ name }) => name.test(test.fullName)))
    const isRefused = process.env.TEST_SKIPS === 'fail' && unexpected.length > 0
    if (isRefused) process.exitCode = 1
    const lines = [
      ...slowestOf(modules),
      ...skipsOf(skipped),
      ...(isRefused ? [`${unexpected.length} tests were skipped, and TEST_SKIPS=fail allows none.`, ''] : []),
      `${count.passed} passed, ${count.failed + (isRefused ? unexpected.length : 0)} failed, ${skipped.length} skipped`,
    ]
    if (process.env.TEST_FAILED_LIST) {
      // What went wrong outside of a test file is not undone by running one again.
      const isOfFiles = !isRefused && unhandledErrors.length === 0
      writeFileSync(process.env.TEST_FAILED_LIST, isOfFiles ? failedFiles.join('\n') : '')
    }
    // The default reporter writes on while the run closes; at exit it is done.
    process.once('exit', () => writeSync(1, `${lines.join('\n')}\n`))
  },
}

/** A file that could not be loaded or whose hooks failed has no failed test, yet it failed. */
function isBrokenOutsideTests(module: TestModule): boolean {
  return module.state() === 'failed' && module.children.allTests('failed').next().done === true
}

function slowestOf(modules: readonly TestModule[]): string[] {
  if (modules.length < slowestShown) return []
  const times = modules
    .map((module) => ({ path: relative(process.cwd(), module.moduleId), ms: durationOf(module) }))
    .toSorted((one, two) => two.ms - one.ms)
  const folders = new Map<string, number>()
  for (const { path, ms } of times) {
    const folder = path.split('/').slice(0, 2).join('/')
    folders.set(folder, (folders.get(folder) ?? 0) + ms)
  }
  return [
    '',
    'Where the time went, in seconds of one worker:',
    ...[...folders].map(([folder, ms]) => `  ${seconds(ms)}  ${folder}`),
    'Slowest files:',
    ...times.slice(0, slowestShown).map(({ path, ms }) => `  ${seconds(ms)}  ${path}`),
    '',
  ]
}

function durationOf(module: TestModule): number {
  const { duration, setupDuration, collectDuration, environmentSetupDuration } = module.diagnostic()
  return duration + setupDuration + collectDuration + environmentSetupDuration
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1).padStart(7)

function skipsOf(skipped: readonly TestCase[]): string[] {
  if (skipped.length === 0) return []
  const rows = new Map<string, number>()
  for (const { fullName, module } of skipped) {
    const allowed = allowedSkips.find(({ name }) => name.test(fullName))
    const need = readNeed(fullName)
    const path = relative(process.cwd(), module.moduleId)
    const why = allowed?.reason ?? (need ? `needs ${need.need}: ${need.why}` : `${path} does not say why`)
    rows.set(why, (rows.get(why) ?? 0) + 1)
  }
  return ['Skipped:', ...[...rows].map(([why, tests]) => `  ${String(tests).padStart(7)}  ${why}`), '']
}
