import type { Refusal } from '../../lib/refusal.ts'
import type { ControlAuthor } from '../audit/author.ts'
import type { Control } from '../control.ts'
import { leaseEnd } from '../process-lease.ts'
import { workCancelled, workTaken } from './errors.ts'
import type { WorkUnit } from './work.ts'
import { findWork, updateWork, type WorkRow } from './work-table.ts'

/** Gets how much is done, of how much, and of what. */
export type OnWorkStep = (done: number, total: number, unit: WorkUnit) => void

/** Work that this process does: its progress is written, its lease renewed, and the wish to cancel it noticed. */
export interface HeldWork extends Disposable {
  readonly signal: AbortSignal
  readonly counts: Pick<WorkRow, 'done' | 'total' | 'unit'>
  onStep: OnWorkStep
  /** Aborts the signal with this reason. */
  stop(reason: Refusal): void
  /** Who has cancelled it. */
  canceller(): Promise<ControlAuthor | undefined>
}

const writeEveryMs = 1_000
/** A cancelled work stops within this time if another server was asked. */
const renewEveryMs = 3_000
/** The rate is that of so many seconds: long enough to be steady, short enough to be true. */
const rateOverMs = 15_000

export function holdWork(control: Control, row: WorkRow, stopping: AbortSignal): HeldWork {
  const own = new AbortController()
  const signal = AbortSignal.any([own.signal, stopping])
  // A work that is begun again counts from the start, and its bar does not go back.
  const counts = {
    done: Number(row.done),
    total: row.total === null ? null : Number(row.total),
    unit: row.unit,
  }
  const rate = rateOf()
  let isChanged = false
  let writtenAt = performance.now()
  if (row.cancelledBy !== null) own.abort(workCancelled())

  async function write(): Promise<void> {
    if (!isChanged && performance.now() - writtenAt < renewEveryMs) return
    isChanged = false
    writtenAt = performance.now()
    const change = { ...counts, rate: rate.now(), leasedUntil: leaseEnd(control) }
    const written = await updateWork(control.store.control, row, change)
    if (!written) own.abort(workTaken())
    else if (written.cancelledBy !== null) own.abort(workCancelled())
  }
  // What cannot be written is written with the next step; meanwhile the lease runs on.
  const timer = setInterval(() => void write().catch(() => undefined), writeEveryMs).unref()

  return {
    signal,
    counts,
    onStep(done, total, unit) {
      rate.add(done)
      counts.unit = unit
      counts.total = Math.max(total, counts.total ?? 0)
      counts.done = Math.max(counts.done, Math.min(done, counts.total))
      isChanged = true
    },
    stop: (reason) => own.abort(reason),
    async canceller() {
      const now = await findWork(control.store.control, row.id)
      return now?.cancelledBy == null ? undefined : JSON.parse(now.cancelledBy)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** How much is done in a second, by the steps of the last seconds. */
function rateOf() {
  let samples: { at: number; done: number }[] = []
  return {
    add(done: number) {
      const at = performance.now()
      const last = samples.at(-1)
      if (last && at - last.at < writeEveryMs / 4) last.done = done
      else samples = [...samples.filter((each) => at - each.at < rateOverMs), { at, done }]
    },
    now(): number | null {
      const [first] = samples
      const last = samples.at(-1)
      if (!first || !last || last.done <= first.done) return null
      return ((last.done - first.done) * 1_000) / (performance.now() - first.at)
    },
  }
}
