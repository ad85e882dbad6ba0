import assert from 'node:assert/strict'
import type { App } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Examination, examine, examineApp, type Verdict } from '../../src/maintenance/index.ts'

/** What a doctor found, each as `check tenant key`. Those that were mended are not in it. */
export const findingsOf = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap(({ check, findings }) =>
    findings
      .filter(({ repaired }) => repaired === undefined)
      .map(({ tenant = '-', key = '-' }) => `${check} ${tenant} ${key}`),
  )

/** The same of those that are broken: what only should be known is left out. */
export const faultsOf = (verdicts: readonly Verdict[]): string[] =>
  findingsOf(
    verdicts.map((verdict) => ({
      ...verdict,
      findings: verdict.findings.filter(({ isFault }) => isFault),
    })),
  )

/** Every invariant holds; the last word of a test that has broken something on purpose. */
export async function assertHealthy(app: App, options: Examination = {}): Promise<void> {
  assert.deepEqual(faultsOf(await examineApp(app, options)), [])
}

/**
 * Runs the doctor on an installation that is not open in this process. Its stats are corrected by
 * jobs some time after a kill, and is not asked for.
 */
export async function assertHealthyAt(
  environment: Record<string, string>,
  options: Examination = {},
): Promise<void> {
  const config = readConfig({ SERVICE_LOG_LEVEL: 'silent', ...environment }, '/')
  const verdicts = await examine(config, options)
  assert.deepEqual(faultsOf(verdicts.filter(({ check }) => check !== 'stats')), [])
}
