import type { ControlDb } from '../../db/index.ts'
import { isId, randomId } from '../../lib/ids.ts'
import type { ControlAuthor } from '../audit/author.ts'
import type { ControlVerb } from '../audit/control-verbs.ts'
import { type ControlChange, recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { workEnded, workNotFound } from './errors.ts'
import {
  countUnfinishedWork,
  deleteOldWork,
  endWaitingWork,
  findWork,
  insertWork,
  lastDoneWork,
  markCancelled,
  newestWork,
  targetsOfFailedWork,
  unfinishedWork,
  type WorkRow,
} from './work-table.ts'

export type WorkKind = WorkRow['kind']
export type WorkState = WorkRow['state']
export type WorkUnit = NonNullable<WorkRow['unit']>

/** Long work that an operator has asked for: any server does it, and everybody may watch. */
export interface Work {
  id: string
  kind: WorkKind
  /** The tenant, or the name of the backup. */
  target: string
  state: WorkState
  isCancelled: boolean
  done: number
  total: number | undefined
  /** Of what there is so much; undefined before the first step. */
  unit: WorkUnit | undefined
  /** How much is done in a second; undefined while it does not run. */
  rate: number | undefined
  author: ControlAuthor
  /** What came out of it, by kind; a `WorkFault` if it has failed. */
  result: unknown
  /** Why it has failed. */
  error: string | undefined
  createdAt: Date
  startedAt: Date | undefined
  finishedAt: Date | undefined
}

/** How many that have ended are kept of each kind. */
const kept = 100

export interface NewWork {
  kind: WorkKind
  target: string
  /** For the audit log, if it records that the work was asked for. */
  change?: ControlChange
  /** Refuses it beside what has not ended yet. */
  checkBeside: (unfinished: readonly Work[]) => void
}

/** Asks for work; a runner takes it up. */
export function insertNewWork(control: Control, { checkBeside, ...work }: NewWork): Promise<Work> {
  return control.store.changeControl(async (db) => {
    checkBeside((await unfinishedWork(db, work.kind)).map(workOfRow))
    return workOfRow(await insertWorkRow(control, db, work))
  })
}

/** With its row in the audit log, if it has one. */
export async function insertWorkRow(
  control: Control,
  db: ControlDb,
  { kind, target, change }: Omit<NewWork, 'checkBeside'>,
  state: Partial<WorkRow> = {},
): Promise<WorkRow> {
  const row = { ...newRow(control, { kind, target }), ...state }
  await insertWork(db, row)
  await deleteOldWork(db, kind, kept)
  if (change) await recordControlChange(control, db, change)
  return row
}

interface DoneWork extends Pick<NewWork, 'kind' | 'target'> {
  change: ControlChange
  result: object
}

/** Work that a program did by itself, such as the tool: pages then show what came out of it. */
export async function insertDoneWork(control: Control, { result, ...work }: DoneWork): Promise<void> {
  await control.store.changeControl((db) => {
    const now = control.clock.now().toISOString()
    const ended = { state: 'done', startedAt: now, finishedAt: now, result: JSON.stringify(result) } as const
    return insertWorkRow(control, db, work, ended)
  })
}

const newRow = (control: Control, { kind, target }: Pick<NewWork, 'kind' | 'target'>): WorkRow => ({
  id: randomId(),
  kind,
  target,
  state: 'waiting',
  done: 0,
  total: null,
  unit: null,
  rate: null,
  author: JSON.stringify(control.author),
  cancelledBy: null,
  tries: 0,
  losses: 0,
  leasedBy: null,
  leasedUntil: null,
  result: null,
  error: null,
  createdAt: control.clock.now().toISOString(),
  startedAt: null,
  finishedAt: null,
})

/** Cancels what waits at once; the process of what runs sees the wish at its next step. */
export function cancelWork(
  control: Control,
  { id, kind, verb }: { id: string; kind: WorkKind; verb: ControlVerb },
): Promise<Work> {
  return control.store.changeControl(async (db) => {
    const found = await foundWork(db, id)
    if (found.kind !== kind) throw workNotFound()
    const row = await markCancelled(db, id, JSON.stringify(control.author))
    if (!row) throw workEnded()
    // After a stop of its server the work waits, but what it has begun must be undone by a process that takes it.
    if (row.tries > 0) return workOfRow(row)
    const end = { state: 'cancelled', finishedAt: control.clock.now().toISOString() } as const
    await endWaitingWork(db, id, end)
    await recordControlChange(control, db, { verb, target: row.target })
    return workOfRow({ ...row, ...end })
  })
}

export const readWork = async (control: Control, id: string): Promise<Work> =>
  workOfRow(await foundWork(control.store.control, id))

async function foundWork(db: ControlDb, id: string): Promise<WorkRow> {
  // PostgreSQL refuses a NUL in a text, and the id comes from an address.
  const row = isId(id) ? await findWork(db, id) : undefined
  if (!row) throw workNotFound()
  return row
}

/** What there is of a kind, the newest first. */
export const listWork = async (control: Control, kind: WorkKind): Promise<Work[]> =>
  (await newestWork(control.store.control, kind, kept)).map(workOfRow)

/** The last that has come to its end. */
export async function findLastDone(control: Control, kind: WorkKind): Promise<Work | undefined> {
  const row = await lastDoneWork(control.store.control, kind)
  return row && workOfRow(row)
}

/** Moves under way, and the tenants whose last move has failed. */
export async function readMoveStates({ store }: Control): Promise<{ running: number; failed: string[] }> {
  return {
    running: await countUnfinishedWork(store.control, 'move'),
    failed: await targetsOfFailedWork(store.control, 'move'),
  }
}

const dateOf = (text: string | null) => (text === null ? undefined : new Date(text))

export const workOfRow = (row: WorkRow): Work => ({
  id: row.id,
  kind: row.kind,
  target: row.target,
  state: row.state,
  isCancelled: row.cancelledBy !== null,
  done: Number(row.done),
  total: row.total === null ? undefined : Number(row.total),
  unit: row.unit ?? undefined,
  rate: row.state === 'running' ? (row.rate ?? undefined) : undefined,
  author: JSON.parse(row.author),
  result: row.result === null ? undefined : JSON.parse(row.result),
  error: row.error ?? undefined,
  createdAt: new Date(row.createdAt),
  startedAt: dateOf(row.startedAt),
  finishedAt: dateOf(row.finishedAt),
})

/** An estimate of more days says that nothing moves. */
const longestEstimate = 99 * 3_600

/** How long it still takes, at the rate of the last seconds. */
export function secondsLeft({
  done,
  total,
  rate,
}: Pick<Work, 'done' | 'total' | 'rate'>): number | undefined {
  if (total === undefined || rate === undefined || rate <= 0) return undefined
  const left = Math.ceil(Math.max(0, total - done) / rate)
  return left > longestEstimate ? undefined : left
}
