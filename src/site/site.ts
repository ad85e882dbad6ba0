import type { SiteDb } from '../db/index.ts'
import type { Imaging } from '../imaging/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/index.ts'
import type { AuditLog } from './audit/audit-logs.ts'
import type { Author } from './audit/author.ts'
import type { ProcessCounters } from './process-counters.ts'
import type { QuotaState } from './quotas/quota-rules.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { SiteValues } from './values.ts'

/** One tenant's world. Code that holds it can reach no other tenant. */
export interface Site {
  readonly number: number
  /** Undefined while it is installed, restored or dropped. */
  readonly tenantId?: string | undefined
  readonly hostname: string
  readonly db: SiteDb
  readonly values: SiteValues
  /** The quotas that have reached a threshold, as the installation knows them; undefined if there are none. */
  readonly quotas?: readonly QuotaState[] | undefined
  readonly clock: Clock
  /** Its own folder of the storage. */
  readonly storage: Storage
  readonly imaging: Imaging
  /** Sign addresses of its bytes, in place of a key that the installation derives. */
  readonly signingKeys?: SigningKeys | undefined
  /** In whose name it is changed: an operator, unless the door says otherwise. */
  readonly author: Author
  /** What signs its audit log, beside the rows. */
  readonly auditLog: AuditLog
  /** Of this process, shared by all its sites. */
  readonly counters: ProcessCounters
  /** Refuses an author whose rights have ended since the request began. Part of every transaction of a change. */
  readonly checkAuthor?: ((db: SiteDb) => Promise<void>) | undefined
}

/** A site that is kept open while it is used. */
export type UsedSite = Site & AsyncDisposable
