import { examine, type Finding, type Verdict } from '../care/index.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Session } from './session.ts'
import { type Column, tableOf } from './table.ts'
import { withSteps } from './with-steps.ts'

interface Asked {
  id?: string
  deep?: boolean
  repair?: boolean
}

export async function doctor(session: Session, asked: Asked): Promise<void> {
  const config = await session.readConfig()
  const order = { id: asked.id, isDeep: asked.deep, isRepairing: asked.repair }
  const verdicts = await withSteps(session, 'sites looked at', (onStep) =>
    examine(config, { ...order, onStep }),
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

const markOf = ({ faults, warnings }: Verdict) => (faults > 0 ? '✘' : warnings > 0 ? '!' : '✔')
const colourOf = ({ faults, warnings }: Verdict) => (faults > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green')

const checkColumns: readonly Column<Verdict>[] = [
  { title: ' ', value: markOf, style: colourOf },
  { title: 'CHECK', value: (verdict) => verdict.check },
  { title: 'WHAT SHOULD HOLD', value: (verdict) => verdict.about, style: () => 'dim' },
  { title: 'FOUND', value: foundBy, style: colourOf },
]

function foundBy({ faults, warnings, repaired }: Verdict): string {
  const counts = [
    counted(faults, 'fault'),
    counted(warnings, 'warning'),
    repaired > 0 ? `${repaired} repaired` : '',
  ]
  return counts.filter((text) => text !== '').join(', ') || 'in order'
}

const counted = (count: number, noun: string) =>
  count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`

type Told = Finding & { check: string }

const findingColumns: readonly Column<Told>[] = [
  {
    title: ' ',
    value: ({ repaired, isFault }) => (repaired !== undefined ? '✔' : isFault ? '✘' : '!'),
    style: ({ repaired, isFault }) => (repaired !== undefined ? 'green' : isFault ? 'red' : 'yellow'),
  },
  { title: 'CHECK', value: (told) => told.check },
  { title: 'TENANT', value: (told) => told.tenant ?? '', style: () => 'cyan' },
  { title: 'WHERE', value: (told) => told.key ?? '' },
  { title: 'WHAT', value: (told) => told.says },
  {
    title: 'WHAT TO DO',
    value: (told) => (told.repaired === undefined ? told.todo : `Done: ${told.repaired}.`),
  },
]

function report({ out }: Session, verdicts: readonly Verdict[]): string {
  const told = verdicts.flatMap(({ check, findings }) => findings.map((finding) => ({ ...finding, check })))
  const untold = verdicts.reduce(
    (sum, { faults, warnings, repaired, findings }) => sum + faults + warnings + repaired - findings.length,
    0,
  )
  return [
    tableOf(out, checkColumns, verdicts),
    ...(told.length > 0 ? ['', tableOf(out, findingColumns, told)] : []),
    ...(untold > 0 ? [`And ${untold} more of the same kind.`] : []),
  ].join('\n')
}

const writeVerdict = ({ check, faults, warnings, repaired, findings }: Verdict) => ({
  ...{ check, faults, warnings, repaired },
  findings: findings.map((finding) => ({
    level: finding.isFault ? 'fault' : 'warning',
    tenant: finding.tenant ?? null,
    key: finding.key ?? null,
    says: finding.says,
    todo: finding.todo,
    repaired: finding.repaired ?? null,
  })),
})
