import { Refusal } from '../../lib/refusal.ts'
import { examine, type Finding, type Verdict } from '../../maintenance/index.ts'
import type { Session } from '../session.ts'
import { withProgress } from '../terminal/progress.ts'
import { type Column, counted, tableOf } from '../terminal/table.ts'

interface DoctorOptions {
  id?: string
  deep?: boolean
  repair?: boolean
}

export async function doctor(session: Session, options: DoctorOptions): Promise<void> {
  const config = await session.readConfig()
  const examination = {
    id: options.id,
    isDeep: options.deep,
    isRepairing: options.repair,
    author: { kind: 'tool' },
  } as const
  const verdicts = await withProgress(session.err, { label: 'sites checked' }, (onStep) =>
    examine(config, { ...examination, onStep }),
  )
  const faults = verdicts.reduce((sum, verdict) => sum + verdict.faults, 0)
  session.answer({ healthy: faults === 0, checks: verdicts.map(writeVerdict) }, () =>
    report(session, verdicts),
  )
  if (faults > 0) {
    const message = `${faults} ${faults === 1 ? 'fault was' : 'faults were'} found.`
    throw new Refusal('unavailable', 'not-healthy', message)
  }
}

const symbolOf = ({ faults, warnings }: Verdict) => (faults > 0 ? '✘' : warnings > 0 ? '!' : '✔')
const colourOf = ({ faults, warnings }: Verdict) => (faults > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green')

const checkColumns: readonly Column<Verdict>[] = [
  { title: ' ', value: symbolOf, style: colourOf },
  { title: 'CHECK', value: (verdict) => verdict.check },
  { title: 'EXPECTED', value: (verdict) => verdict.about, style: () => 'dim' },
  { title: 'FOUND', value: foundBy, style: colourOf },
]

function foundBy({ faults, warnings, repaired, detail }: Verdict): string {
  const counts = [
    faults > 0 ? counted(faults, 'fault') : '',
    warnings > 0 ? counted(warnings, 'warning') : '',
    repaired > 0 ? `${repaired} repaired` : '',
  ]
  return counts.filter((text) => text !== '').join(', ') || ['OK', detail].filter(Boolean).join(': ')
}

type CheckFinding = Finding & { check: string }

const findingColumns: readonly Column<CheckFinding>[] = [
  {
    title: ' ',
    value: ({ repaired, isFault }) => (repaired !== undefined ? '✔' : isFault ? '✘' : '!'),
    style: ({ repaired, isFault }) => (repaired !== undefined ? 'green' : isFault ? 'red' : 'yellow'),
  },
  { title: 'CHECK', value: ({ check }) => check },
  { title: 'TENANT', value: ({ tenant }) => tenant ?? '', style: () => 'cyan' },
  { title: 'WHERE', value: ({ key }) => key ?? '' },
  { title: 'FINDING', value: ({ says }) => says },
  {
    title: 'NEXT STEP',
    value: ({ repaired, todo }) => (repaired === undefined ? todo : `Done: ${repaired}.`),
  },
]

function report({ out }: Session, verdicts: readonly Verdict[]): string {
  const shown = verdicts.flatMap(({ check, findings }) => findings.map((finding) => ({ ...finding, check })))
  const hidden = verdicts.reduce(
    (sum, { faults, warnings, repaired, findings }) => sum + faults + warnings + repaired - findings.length,
    0,
  )
  return [
    tableOf(out, checkColumns, verdicts),
    ...(shown.length > 0 ? ['', tableOf(out, findingColumns, shown)] : []),
    ...(hidden > 0 ? [`${hidden} more findings are not listed.`] : []),
  ].join('\n')
}

const writeVerdict = ({ check, faults, warnings, repaired, detail, findings }: Verdict) => ({
  check,
  faults,
  warnings,
  repaired,
  detail: detail ?? null,
  findings: findings.map((finding) => ({
    level: finding.isFault ? 'fault' : 'warning',
    tenant: finding.tenant ?? null,
    key: finding.key ?? null,
    says: finding.says,
    todo: finding.todo,
    repaired: finding.repaired ?? null,
  })),
})
