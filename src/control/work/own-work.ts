import type { ControlDb } from '../../db/index.ts'
import { actingAs } from '../audit/author.ts'
import { recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { isAbandoned, leaseEnd, thisProcess } from '../process-lease.ts'
import { toolEnded } from './errors.ts'
import { holdWork } from './hold-work.ts'
import { errorText, reasonOf, runTaken, type WorkRules } from './run-taken.ts'
import { insertWorkRow, type NewWork, workOfRow } from './work.ts'
import { unfinishedWork, updateWork, type WorkRow } from './work-table.ts'

/** Whether a process that ended has left it behind. */
export function isLost(control: Control, { state, leasedBy: by, leasedUntil: until }: WorkRow): boolean {
  return state === 'running' && (by === null || until === null || isAbandoned(control, { by, until }))
}

/** What the tool does in its own process. If a person ends that process, the work has ended too: no server goes on with it. */
export const isOwnWork = (row: WorkRow): boolean => workOfRow(row).author.kind === 'tool'

/** Pages then say why it has failed. */
export async function endLostWork(
  control: Control,
  db: ControlDb,
  row: WorkRow,
  { failed: verb }: Pick<WorkRules, 'failed'>,
): Promise<void> {
  const finishedAt = control.clock.now().toISOString()
  const [error, result] = [errorText(toolEnded()), JSON.stringify(reasonOf(toolEnded()))]
  const end = { state: 'failed', error, result, finishedAt } as const
  const ended = await updateWork(db, row, { ...end, leasedBy: null, leasedUntil: null })
  if (!ended || !verb) return
  await recordControlChange(actingAs(control, workOfRow(row).author), db, { verb, target: row.target })
}

interface OwnRules<Result extends object> extends WorkRules {
  run: (...given: Parameters<WorkRules['run']>) => Promise<{ result: Result }>
}

/**
 * Work that this process does itself, and whose result it waits for. Pages show its progress and can cancel it, as that of
 * a server.
 */
export async function runOwnWork<Result extends object>(
  control: Control,
  { checkBeside, ...work }: NewWork,
  rules: OwnRules<Result>,
): Promise<Result> {
  const row = await control.store.changeControl(async (db) => {
    const unfinished = await unfinishedWork(db, work.kind)
    const lost = unfinished.filter((each) => isOwnWork(each) && isLost(control, each))
    for (const each of lost) await endLostWork(control, db, each, rules)
    checkBeside(unfinished.filter((each) => !lost.includes(each)).map(workOfRow))
    const lease = { leasedBy: thisProcess, leasedUntil: leaseEnd(control), tries: 1 }
    const startedAt = control.clock.now().toISOString()
    return insertWorkRow(control, db, work, { ...lease, startedAt, state: 'running' })
  })
  using held = holdWork(control, row, new AbortController().signal)
  const ended = await runTaken(control, row, { rules, held, onFault: () => undefined })
  if ('error' in ended) throw ended.error
  return ended.result as Result
}
