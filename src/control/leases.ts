import { inTransaction } from '../db/index.ts'
import { type Lease, leaseLost } from '../site/index.ts'
import type { Control } from './control.ts'
import { extendLease, hasDue, insertJob, type LeaseRow, leaseDue, leaseMs } from './jobs-table.ts'

const renewEveryMs = 20_000

/** A lease as it was taken, with what became of the one before. */
export type TakenLease = LeaseRow

/**
 * Takes sites that have something to do, so that no other worker does until the lease is over. It is no change that
 * servers must hear of, and does not wait for the control lock.
 */
export async function takeDueSites(
  control: Control,
  { limit, ...which }: { limit: number; only?: number | undefined; isAsked?: boolean },
): Promise<TakenLease[]> {
  const { store } = control
  const now = control.clock.now()
  if (which.only !== undefined && which.isAsked) await insertJob(store.control, which.only, now)
  if (!(await hasDue(store.control, { now, ...which }))) return []
  const until = new Date(now.getTime() + leaseMs)
  return inTransaction(store.control, (db) => leaseDue(db, { now, until, limit, ...which }, store.kind))
}

/** A lease while it is worked under: it renews itself, and its signal tells when it is lost. */
export interface HeldLease extends Disposable {
  readonly signal: AbortSignal
  /** Renews it when it is time. Throws when another has it. */
  stay(): Promise<void>
}

export function holdLease(control: Control, lease: Lease, stop: AbortSignal): HeldLease {
  const lost = new AbortController()
  // By a clock that is never set: a machine that was asleep finds out at its first step.
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
      // A database that is away for a moment is no reason to stop, as long as nobody else can have the lease.
      if (ageMs() >= leaseMs || error.code === 'lease-lost') lost.abort(error)
    })
  }, renewEveryMs).unref()

  return {
    signal: AbortSignal.any([stop, lost.signal]),
    async stay() {
      lost.signal.throwIfAborted()
      if (ageMs() >= renewEveryMs) await renew()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
