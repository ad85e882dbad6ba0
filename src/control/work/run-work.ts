import type { Control } from '../control.ts'
import { leaseEnd, thisProcess } from '../process-lease.ts'
import { workCancelled, workStopped } from './errors.ts'
import { type HeldWork, holdWork } from './hold-work.ts'
import { endLostWork, isLost, isOwnWork } from './own-work.ts'
import { type OnWorkFault, runTaken, type WorkRules } from './run-taken.ts'
import { workOfRow } from './work.ts'
import { hasUnfinishedWork, takeWork, unfinishedWork, type WorkRow } from './work-table.ts'

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

export function openWorkRunner(control: Control, onFault: OnWorkFault): WorkRunner {
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
  onFault: OnWorkFault
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
async function takeNext(control: Control, rules: WorkRules): Promise<WorkRow | undefined> {
  const { kind, isHere } = rules
  const db = control.store.control
  for (const row of await unfinishedWork(db, kind)) {
    const wasLost = isLost(control, row)
    if (row.state === 'running' && !wasLost) continue
    if (isOwnWork(row)) {
      await control.store.changeControl((changing) => endLostWork(control, changing, row, rules))
      continue
    }
    if (isHere && !(await isHere(workOfRow(row)))) continue
    const lease = {
      leasedBy: thisProcess,
      leasedUntil: leaseEnd(control),
      losses: row.losses + (wasLost ? 1 : 0),
      startedAt: row.startedAt ?? control.clock.now().toISOString(),
    }
    if (await takeWork(db, row, lease)) return { ...row, ...lease, state: 'running', tries: row.tries + 1 }
  }
  return undefined
}
