import type { Store } from '../db/index.ts'
import type { Clock } from '../lib/clock.ts'
import { countJobsOfTenants, findJob, type JobFilter, jobsPage } from './job-list-table.ts'

/** The part of `Control` that lists need; `control/` is above this room. */
interface ListControl {
  readonly store: Store
  readonly clock: Clock
}

/** The background jobs of a site. */
export interface Jobs {
  dueAt: Date | undefined
  /** Until when a worker has them; undefined if none works on them now. */
  leasedUntil: Date | undefined
  /** How often they have failed since they last succeeded, and why. */
  failures: number
  fault: string | undefined
}

export interface TenantJobs extends Jobs {
  id: string
  isInstalled: boolean
  ranAt: Date | undefined
}

export interface ListedJobs {
  tenants: readonly TenantJobs[]
  /** How many the filter finds. */
  found: number
  /** Those of the installation itself; undefined before the first start of a server. */
  installation: Jobs | undefined
}

/** No site has it: the installation's own jobs are leased under this number. */
const installationNumber = 0

/** A page of tenants in the order of their ids, with when their jobs ran, are due, and whether they fail. */
export async function listJobs(
  { store, clock }: ListControl,
  filter: JobFilter & { offset: number; limit: number },
): Promise<ListedJobs> {
  const db = store.control
  const now = clock.now()
  const rows = await jobsPage(db, filter)
  const installation = await findJob(db, installationNumber)
  return {
    tenants: rows.map((row) => ({
      id: row.id,
      isInstalled: row.installedAt !== null,
      ranAt: dateOf(row.lastJobAt),
      ...jobsOf(row, now),
    })),
    found: await countJobsOfTenants(db, filter),
    installation: installation && jobsOf(installation, now),
  }
}

/** How many tenants have failing jobs. */
export const countFailingJobs = ({ store }: Pick<ListControl, 'store'>): Promise<number> =>
  countJobsOfTenants(store.control, { search: '', isFailing: true })

const dateOf = (text: string | null) => (text === null ? undefined : new Date(text))

interface JobColumns {
  dueAt: string | null
  leasedUntil: string | null
  failures: number | null
  fault: string | null
}

function jobsOf({ dueAt, leasedUntil, failures, fault }: JobColumns, now: Date): Jobs {
  const until = dateOf(leasedUntil)
  return {
    dueAt: dateOf(dueAt),
    leasedUntil: until && until > now ? until : undefined,
    failures: failures ?? 0,
    fault: fault ?? undefined,
  }
}
