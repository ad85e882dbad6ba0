/** What a site keeps of its past. */
export interface HistoryTables {
  /** The audit log: one row for each change. A trigger refuses every change of it but the retention's. */
  audit: {
    /** Without gaps, in the order of commits. */
    sequence: number
    at: string
    verb: string
    actor: 'user' | 'key' | 'share' | 'guest' | 'operator' | 'tool' | 'job'
    /** The user who acted, by session or key. No foreign key: the row outlives the user. */
    userId: string | null
    keyId: string | null
    address: string | null
    /** The id of what was changed; empty if the verb says it all. */
    target: string
    /** JSON of the changed fields, without secrets. */
    before: string
    after: string
    /** SHA-256 of this row and of the hash before it. */
    hash: string
  }
  /** What was counted on each day, in UTC; see `site/day-totals-table.ts`. */
  dayTotal: { day: string; name: string; value: number }
  /** The same for what each user did, and for the files of each. */
  userDayTotal: { userId: string; day: string; name: string; value: number }
  /** What each user owns now; see `site/user-totals-table.ts`. A user who never had a file may have no row. */
  userTotal: { userId: string; files: number; storageUsed: number }
  /** How many files a tag or a category has; see `site/label-totals-table.ts`. One that never had a file may have no row. */
  labelTotal: {
    kind: 'tag' | 'category'
    label: string
    userId: string
    files: number
    listed: number
  }
  /** Pictures derived from stored ones; see `media/transforms/`. No foreign key: a row without its file is removed with its bytes. */
  derived: {
    id: string
    fileId: string
    /** Of the bytes that it was derived from. */
    keyRevision: number
    /** What was made, written in one way. */
    options: string
    extension: string
    mime: string
    sizeBytes: number
    sha256: string
    createdAt: string
    /** To the minute. */
    usedAt: string
  }
  /** The keys of the last rotation that sign addresses, encrypted; empty once the location record has them. One row, or none. */
  signingKey: { number: number; sealedKeys: string }
  /** What is known of a quota: of storage without a month, of the others for each month in UTC; see `site/quotas/`. */
  quotaState: {
    name: string
    month: string
    /** The highest threshold that was reached and told. */
    percent: number
    /** The value of the quota when the row was written. */
    value: number
    /** Since when it is used up, by its use or by a refused request. */
    reachedAt: string | null
    /** Since when the site would be suspended for it. */
    overAt: string | null
    /** Thresholds whose mails are not sent yet, with commas between them. */
    mails: string
  }
  /** The two ends of the audit log, so that a missing row is found at either of them. */
  auditHead: {
    id: number
    sequence: number
    hash: string
    /** The last row that the retention has deleted. */
    prunedSequence: number
    prunedHash: string
    /** Signs the fields above, see `site/audit/audit-heads.ts`; empty in a log from before heads were signed. */
    mac: string
  }
}
