import { Refusal } from '../../lib/refusal.ts'
import { actingAs, type ControlAuthor } from '../audit/author.ts'
import type { ControlVerb } from '../audit/control-verbs.ts'
import { type ControlChange, recordControlChange } from '../audit/record-control-change.ts'
import type { Control } from '../control.ts'
import { isAbandoned, leaseEnd, thisProcess } from '../process-lease.ts'
import { workCancelled, workLost, workStopped, workTaken } from './errors.ts'
import { type HeldWork, holdWork, type OnWorkStep } from './hold-work.ts'
import { type Work, type WorkKind, workOfRow } from './work.ts'
import { hasUnfinishedWork, takeWork, unfinishedWork, updateWork, type WorkRow } from './work-table.ts'

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

/** Does the work of all kinds once a server has started it. Each process does one of each kind at a time. */
export interface WorkRunner {
  /** Looks for work that waits, or whose process has ended. */
  wake(): void
  /** Stops cancelled work at once if it runs in this process. */
  stopCancelled(id: string): void
  start(kinds: readonly WorkRules[]): AsyncDisposable
}

/** Work of another process that has ended waits at most this long. */
const lookEveryMs = 5_000

export function openWorkRunner(
  control: Control,
  onFault: (fault: unknown, work?: Pick<Work, 'kind' | 'target'>) => void,
): WorkRunner {
  const running = new Map<string, HeldWork>()
  const lanes = new Set<() => void>()
  const wake = () => {
    for (const look of lanes) look()
  }
  return {
    wake,
    stopCancelled: (id) => running.get(id)?.stop(workCancelled()),
    start(kinds) {
      const stop = new AbortController()
      const opened = kinds.map((rules) => {
        const lane = openLane(async () => {
          while (
            !stop.signal.aborted &&
            (await runNext(control, rules, { running, stop: stop.signal, onFault }))
          );
        }, onFault)
        lanes.add(lane.look)
        return lane
      })
      const wakeIfAny = async () => {
        if (await isAnyUnfinished(control)) wake()
      }
      const timer = setInterval(() => void wakeIfAny().catch(onFault), lookEveryMs).unref()
      wake()
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(timer)
          for (const { look } of opened) lanes.delete(look)
          stop.abort(workStopped())
          await Promise.all(opened.map(({ ended }) => ended()))
        },
      }
    },
  }
}

/** Work begins and ends with a change of control rows: until the next one, no server needs to ask again. */
const isAnyUnfinished = (control: Control): Promise<boolean> =>
  control.cache.read('unfinished work', () => hasUnfinishedWork(control.store.control))

/** Runs one after the other; a call during a run leads to another run. */
function openLane(runAll: () => Promise<void>, onFault: (fault: unknown) => void) {
  let isWanted = false
  let run: Promise<void> | undefined
  const repeat = async () => {
    while (isWanted) {
      isWanted = false
      // The database is away: the next look comes by itself.
      await runAll().catch(onFault)
    }
    run = undefined
  }
  return {
    look() {
      isWanted = true
      run ??= repeat()
    },
    ended: async () => run,
  }
}

interface Running {
  running: Map<string, HeldWork>
  stop: AbortSignal
  onFault: (fault: unknown, work?: Pick<Work, 'kind' | 'target'>) => void
}

/** False if there is nothing to do. */
async function runNext(
  control: Control,
  rules: WorkRules,
  { running, stop, onFault }: Running,
): Promise<boolean> {
  const row = await takeNext(control, rules)
  if (!row) return false
  const held = holdWork(control, row, stop)
  running.set(row.id, held)
  try {
    await runTaken(control, row, { rules, held, onFault })
  } finally {
    running.delete(row.id)
    held[Symbol.dispose]()
  }
  return true
}

/** Most of the time there is none, which is one look at a small index. */
async function takeNext(control: Control, { kind, isHere }: WorkRules): Promise<WorkRow | undefined> {
  const db = control.store.control
  for (const row of await unfinishedWork(db, kind)) {
    const { leasedBy: by, leasedUntil: until } = row
    const isLost =
      row.state === 'running' && (by === null || until === null || isAbandoned(control, { by, until }))
    if (row.state === 'running' && !isLost) continue
    if (isHere && !(await isHere(workOfRow(row)))) continue
    const lease = {
      leasedBy: thisProcess,
      leasedUntil: leaseEnd(control),
      losses: row.losses + (isLost ? 1 : 0),
      startedAt: row.startedAt ?? control.clock.now().toISOString(),
    }
    if (await takeWork(db, row, lease)) return { ...row, ...lease, state: 'running', tries: row.tries + 1 }
  }
  return undefined
}

/** A work that has ended so many processes would end the next one too. */
const mostLosses = 3

async function runTaken(
  control: Control,
  row: WorkRow,
  { rules, held, onFault }: { rules: WorkRules; held: HeldWork } & Pick<Running, 'onFault'>,
): Promise<void> {
  const work = workOfRow(row)
  const author = work.author
  const { signal, onStep } = held
  try {
    if (row.losses >= mostLosses) throw workLost(row.losses)
    const { result, change } = await rules.run(actingAs(control, author), work, { signal, onStep })
    const { done, total, unit } = held.counts
    await end(control, row, {
      change: { state: 'done', done: total ?? done, total, unit, result: JSON.stringify(result) },
      audit: change && { author, change },
    })
  } catch (error) {
    const reason = signal.aborted ? (signal.reason as Refusal).code : undefined
    if (reason === workStopped().code) return giveBack(control, row)
    if (reason === workTaken().code) return
    const verb = reason === workCancelled().code ? rules.cancelled : rules.failed
    const change = verb && { verb, target: row.target }
    if (reason === workCancelled().code) {
      const by = (await held.canceller()) ?? author
      return end(control, row, { change: { state: 'cancelled' }, audit: change && { author: by, change } })
    }
    onFault(error, work)
    await end(control, row, {
      change: { state: 'failed', error: errorText(error) },
      audit: change && { author, change },
    })
  }
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

function errorText(error: unknown): string {
  if (!(error instanceof Refusal)) return 'It failed by an error. The log of the server says why.'
  const list = error.list.filter((line) => line !== error.message)
  return [error.message, ...list].join('\n').slice(0, longestError)
}
