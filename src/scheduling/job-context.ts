import { inTransaction, type SiteDb } from '../db/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { judgeChangedQuotas, type Site } from '../site/index.ts'
import { raiseFence } from './fence-table.ts'

/** What a job gets of the worker that runs it. */
export interface JobContext {
  /** Aborted if the lease is lost or the process stops: a job then gives up, even in the middle of a long file. */
  readonly signal: AbortSignal
  /** Aborted, or the job's time slice has ended: a job finishes its current item and starts no other. */
  readonly isOver: boolean
  /**
   * One transaction, refused once a worker with a newer lease has written to the site. A worker that was frozen past its
   * lease wakes up with an old token, and can change nothing any more.
   */
  fencedTransaction<T>(work: (db: SiteDb) => Promise<T>): Promise<T>
  /** Logs at level warn. */
  warn(message: string, details: object): void
  /** A folder on the disk of the decoders, which is removed when it is disposed of. */
  openFolder(): JobFolder
}

export interface JobFolder extends AsyncDisposable {
  folder: string
  /** Resolves when it exists. */
  made: Promise<unknown>
}

/** The exclusive right to run a site's jobs for a limited time. */
export interface Lease {
  site: number
  token: number
}

interface JobContextOptions {
  lease: Lease
  signal: AbortSignal
  sliceMs: number
  /** Throws if another worker has the lease. */
  renewIfNeeded: () => Promise<void>
  warn: JobContext['warn']
  openFolder: JobContext['openFolder']
}

export function openJobContext(
  site: Site,
  { lease, signal, sliceMs, renewIfNeeded, warn, openFolder }: JobContextOptions,
): JobContext {
  const endsAt = performance.now() + sliceMs
  return {
    signal,
    get isOver() {
      return signal.aborted || performance.now() >= endsAt
    },
    warn,
    openFolder,
    async fencedTransaction(work) {
      await renewIfNeeded()
      return inTransaction(site.db, async (db) => {
        if (!(await raiseFence(db, lease.token))) throw leaseLost()
        const result = await work(db)
        await judgeChangedQuotas({ ...site, db })
        return result
      })
    },
  }
}

export const leaseLost = () =>
  new Refusal('conflict', 'lease-lost', 'Another worker has taken over this site.')

export const faultText = (fault: unknown): string =>
  (fault instanceof Error ? fault.message : String(fault)).slice(0, 500)
