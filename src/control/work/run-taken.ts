import { Refusal } from '../../lib/refusal.ts'
import { dataOfSentences, type SentenceData } from '../../lib/sentences.ts'
import { actingAs, type ControlAuthor } from '../audit/author.ts'
import type { ControlVerb } from '../audit/control-verbs.ts'
import { type ControlChange, recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { workCancelled, workLost, workStopped, workTaken } from './errors.ts'
import type { HeldWork, OnWorkStep } from './hold-work.ts'
import { type Work, type WorkKind, workOfRow } from './work.ts'
import { updateWork, type WorkRow } from './work-table.ts'

/** How the work of a kind is done. It may run twice and be stopped at any point. */
export interface WorkRules {
  kind: WorkKind
  /** Whether this server is the one to do it, such as where the folder of a backup is. */
  isHere?: (work: Work) => Promise<boolean>
  run: (control: Control, work: Work, progress: Progress) => Promise<WorkOutcome>
  /** What the audit log records if it fails or is cancelled. */
  failed?: ControlVerb
  cancelled?: ControlVerb
}

export interface Progress {
  /** Aborted if the work was cancelled, or the server is being stopped. */
  signal: AbortSignal
  onStep: OnWorkStep
}

export interface WorkOutcome {
  /** What pages show. */
  result: object
  /** For the audit log. */
  change?: ControlChange | undefined
}

export type OnWorkFault = (fault: unknown, work?: Pick<Work, 'kind' | 'target'>) => void

/** A work that has ended so many processes would end the next one too. */
const mostLosses = 3

/** Runs it to its end, which its row tells. What comes out of it is for a caller that waits. */
export async function runTaken(
  control: Control,
  row: WorkRow,
  { rules, held, onFault }: { rules: WorkRules; held: HeldWork; onFault: OnWorkFault },
): Promise<{ result: object } | { error: unknown }> {
  const work = workOfRow(row)
  const { author } = work
  const { signal, onStep } = held
  let outcome: WorkOutcome
  try {
    if (row.losses >= mostLosses) throw workLost(row.losses)
    outcome = await rules.run(actingAs(control, author), work, { signal, onStep })
  } catch (error) {
    await endUnfinished(control, row, { error, rules, held, onFault })
    return { error }
  }
  const { result, change } = outcome
  const { done, total, unit } = held.counts
  // If this cannot be written, the work is neither failed nor cancelled: it is taken again when its lease has ended.
  await end(control, row, {
    change: { state: 'done', done: total ?? done, total, unit, result: JSON.stringify(result) },
    audit: change && { author, change },
  })
  return { result }
}

interface Unfinished {
  error: unknown
  rules: WorkRules
  held: HeldWork
  onFault: OnWorkFault
}

async function endUnfinished(
  control: Control,
  row: WorkRow,
  { error, rules, held, onFault }: Unfinished,
): Promise<void> {
  const work = workOfRow(row)
  const { author } = work
  const { signal } = held
  const reason = signal.aborted ? (signal.reason as Refusal).code : undefined
  if (reason === workTaken().code) return
  if (reason === workStopped().code) return giveBack(control, row)
  const isCancelled = reason === workCancelled().code
  const verb = isCancelled ? rules.cancelled : rules.failed
  const change = verb && { verb, target: row.target }
  if (isCancelled) {
    const by = (await held.canceller()) ?? author
    return end(control, row, { change: { state: 'cancelled' }, audit: change && { author: by, change } })
  }
  onFault(error, work)
  await end(control, row, {
    change: { state: 'failed', error: errorText(error), result: JSON.stringify(reasonOf(error)) },
    audit: change && { author, change },
  })
}

interface Ending {
  change: Partial<WorkRow>
  audit: { author: ControlAuthor; change: ControlChange } | undefined
}

/** If the work was taken over meanwhile, the process that has it ends it. */
async function end(control: Control, row: WorkRow, { change, audit }: Ending): Promise<void> {
  await control.store.changeControl(async (db) => {
    const finishedAt = control.clock.now().toISOString()
    const ended = await updateWork(db, row, { ...change, finishedAt, leasedBy: null, leasedUntil: null })
    if (ended && audit) await recordControlChange(actingAs(control, audit.author), db, audit.change)
  })
}

/** If the database is away too, the lease ends by itself. */
async function giveBack(control: Control, row: WorkRow): Promise<void> {
  const change = { state: 'waiting', leasedBy: null, leasedUntil: null, rate: null } as const
  await updateWork(control.store.control, row, change).catch(() => undefined)
}

const longestError = 4_000

/** Why work has failed, for pages in the language of their reader: the text of the row is English. */
export interface WorkFault {
  reason: string
  params: Refusal['params']
  /** The lines of the text as data, if the refusal has them. */
  messages?: readonly (SentenceData | null)[]
}

export function reasonOf(error: unknown): WorkFault {
  if (!(error instanceof Refusal)) return { reason: 'work-failed', params: {} }
  const { reason, params, messages } = error
  return { reason, params, ...(messages.length > 0 && { messages: dataOfSentences(messages) }) }
}

/** Why work has failed, for its row. */
export function errorText(error: unknown): string {
  if (!(error instanceof Refusal)) return 'It failed by an error. The log of the server says why.'
  const list = error.list.filter((line) => line !== error.message)
  return [error.message, ...list].join('\n').slice(0, longestError)
}
