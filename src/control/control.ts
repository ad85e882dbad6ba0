import type { Store } from '../db/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import type { JobCounters } from '../scheduling/index.ts'
import type { BackendPool, ProcessCounters, Sites, SiteValues } from '../site/index.ts'
import type { ControlAuthor } from './audit/author.ts'
import type { PendingStats } from './pending-stats.ts'
import type { VersionedCache } from './versioned-cache.ts'

/** The installation: everything above the single sites. */
export interface Control {
  readonly store: Store
  readonly sites: Sites
  readonly backends: BackendPool
  readonly keyRing: KeyRing
  /** Tenants, plans and keys. */
  readonly cache: VersionedCache
  /** Tenants with the stats of their sites. */
  readonly statsCache: VersionedCache
  readonly clock: Clock
  /** In whose name it is changed: background work, unless the door says otherwise. */
  readonly author: ControlAuthor
  /** Called when a site is opened whose location record has a move; starts the recovery if its process is gone. */
  readonly onUnfinishedMove: (site: number, move: { until: string; by: string }) => void
  readonly jobCounters: JobCounters
  readonly counters: ProcessCounters
  /** Views and failed reports that are not yet written. */
  readonly pendingStats: PendingStats
  /** Site values from the environment of the process. */
  readonly processValues: SiteValues
  /** Site values that no plan and no tenant can change. */
  readonly enforcedValues: SiteValues
}
