import { inTransaction, type Store } from '../db/index.ts'
import type { Clock } from '../lib/clock.ts'
import { type Lease, leaseLost } from './job-context.ts'
import { insertJob } from './job-rows-table.ts'
import { extendLease, hasDue, type LeaseRow, leaseDue, leaseMs } from './leases-table.ts'

/** The part of `Control` that leases need; `control/` is above this room. */
interface LeaseControl {
  readonly store: Store
  readonly clock: Clock
}

const renewEveryMs = 20_000

/** A new lease, with the failures of the runs before it. */
export type TakenLease = LeaseRow

/**
 * Leases sites with due jobs, so that no other worker runs them until the lease ends. It needs neither the control lock nor
 * a change notification, because no cache holds job rows.
 */
export async function takeDueSites(
  control: LeaseControl,
  { limit, ...which }: { limit: number; only?: number | undefined; isForced?: boolean },
): Promise<TakenLease[]> {
  const { store } = control
  const now = control.clock.now()
  if (which.only !== undefined && which.isForced) await insertJob(store.control, which.only, now)
  if (!(await hasDue(store.control, { now, ...which }))) return []
  const until = new Date(now.getTime() + leaseMs)
  return inTransaction(store.control, (db) => leaseDue(db, { now, until, limit, ...which }, store.kind))
}

/** A lease that renews itself; its signal aborts when the lease is lost. */
export interface HeldLease extends Disposable {
  readonly signal: AbortSignal
  /** Renews it if it is due. Throws if another worker has the lease. */
  renewIfNeeded(): Promise<void>
}

export function holdLease(control: LeaseControl, lease: Lease, stop: AbortSignal): HeldLease {
  const lost = new AbortController()
  // By the monotonic clock, so that setting the system's time does not matter.
  let renewedAt = performance.now()
  const ageMs = () => performance.now() - renewedAt

  async function renew(): Promise<void> {
    const askedAt = performance.now()
    const until = new Date(control.clock.now().getTime() + leaseMs)
    if (!(await extendLease(control.store.control, lease, until))) throw leaseLost()
    renewedAt = askedAt
  }
  const timer = setInterval(async () => {
    await renew().catch((error) => {
      // A short outage of the database is no reason to stop, as long as the lease cannot have been given to another worker.
      if (ageMs() >= leaseMs || error.code === 'lease-lost') lost.abort(error)
    })
  }, renewEveryMs).unref()

  return {
    signal: AbortSignal.any([stop, lost.signal]),
    async renewIfNeeded() {
      lost.signal.throwIfAborted()
      if (ageMs() >= renewEveryMs) await renew()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
