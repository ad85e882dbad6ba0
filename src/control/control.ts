import type { Store } from '../db/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import type { Places, Sites, SiteValues } from '../site/index.ts'
import type { JobTally } from './job-tally.ts'
import type { Memory } from './memory.ts'

/** The installation: what stands above the sites. */
export interface Control {
  readonly store: Store
  readonly sites: Sites
  readonly places: Places
  readonly keyRing: KeyRing
  /** Of tenants, plans and keys, as they were set. */
  readonly memory: Memory
  /** The same with what is told of their sites. */
  readonly toldMemory: Memory
  readonly clock: Clock
  readonly jobTally: JobTally
  /** What the process's environment says of every site. */
  readonly processValues: SiteValues
  /** What no plan and no tenant may change. */
  readonly enforcedValues: SiteValues
}
