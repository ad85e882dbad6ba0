import { inTransaction, type SiteDb } from '../db/index.ts'
import { leaseLost } from './errors.ts'
import { raiseFence } from './job-runs-table.ts'
import type { Site } from './site.ts'

/** A worker's time at a site. */
export interface Shift {
  /** Aborted when the lease is lost or the process is to stop: then even a long piece of work is left. */
  readonly signal: AbortSignal
  /** Whether the time is up as well: what is begun is finished, nothing new is begun. */
  readonly isOver: boolean
  /**
   * One transaction, made only while no younger lease has worked here. A worker that was frozen past its lease
   * wakes up with an old token, and whatever it was about to change stays as it is.
   */
  change<T>(work: (db: SiteDb) => Promise<T>): Promise<T>
  /** For what somebody should know of, though nobody waits for an answer. */
  tell(words: string, details: object): void
}

/** The right to work on a site. */
export interface Lease {
  site: number
  token: number
}

interface ShiftOptions {
  lease: Lease
  signal: AbortSignal
  sliceMs: number
  /** Throws when another has the lease. */
  stay: () => Promise<void>
  tell: Shift['tell']
}

export function openShift(site: Site, { lease, signal, sliceMs, stay, tell }: ShiftOptions): Shift {
  const endsAt = performance.now() + sliceMs
  return {
    signal,
    get isOver() {
      return signal.aborted || performance.now() >= endsAt
    },
    tell,
    async change(work) {
      await stay()
      return inTransaction(site.db, async (db) => {
        if (!(await raiseFence(db, lease.token))) throw leaseLost()
        return work(db)
      })
    },
  }
}
