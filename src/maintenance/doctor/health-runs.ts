import {
  type Control,
  type ControlChange,
  findLastDone,
  insertDoneWork,
  recordControlChange,
} from '../../control/index.ts'
import type { Verdict } from './finding.ts'

/** What the console shows of a run of the doctor on the whole installation. */
export interface HealthRun {
  ranAt: Date
  verdicts: Verdict[]
}

/** As the run is stored: a broken disk has thousands of findings, and the first of each check say enough. */
export const writtenVerdicts = (verdicts: readonly Verdict[]) => ({
  verdicts: verdicts.map((verdict) => ({ ...verdict, findings: verdict.findings.slice(0, mostFindings) })),
})

const mostFindings = 100

export const healthRunAsked = (id?: string): ControlChange => ({ verb: 'health.run', target: id ?? '' })

/** A run that the tool has made: it is in the audit log, and pages show it if it has examined everything. */
export function recordHealthRun(
  control: Control,
  verdicts: readonly Verdict[],
  id: string | undefined,
): Promise<void> {
  const change = healthRunAsked(id)
  return id === undefined
    ? insertDoneWork(control, { kind: 'health', target: '', change, result: writtenVerdicts(verdicts) })
    : control.store.changeControl((db) => recordControlChange(control, db, change))
}

/** The last run of the doctor on the whole installation, by the console or the tool; undefined if there was none yet. */
export async function lastHealthRun(control: Control): Promise<HealthRun | undefined> {
  const work = await findLastDone(control, 'health')
  if (!work?.finishedAt) return undefined
  return { ranAt: work.finishedAt, ...(work.result as { verdicts: Verdict[] }) }
}

/** How many faults and warnings a run has found. */
export function countFindings({ verdicts }: Pick<HealthRun, 'verdicts'>): {
  faults: number
  warnings: number
} {
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((all, verdict) => all + of(verdict), 0)
  return { faults: sum(({ faults }) => faults), warnings: sum(({ warnings }) => warnings) }
}
