import type { Generated } from 'kysely'
import type { OperatorTables } from './operator-tables.ts'

/** The installation's own tables. On both stores booleans are 0 or 1, and times are ISO 8601 text. */
export interface ControlTables extends OperatorTables {
  meta: { name: string; value: string }
  plan: {
    id: string
    idKey: string
    limits: string
    env: string | null
    createdAt: string
    updatedAt: string
  }
  site: {
    number: Generated<number>
    idKey: string
    state: 'live' | 'kept' | 'dropping'
    installedAt: string | null
    stats: string
    /** The site's own version that `stats` was read at; a report with a lower one does not replace it. */
    statsVersion: Generated<number>
    /** Encrypted: the site's location; null while it is the installation's own database and storage. */
    place: string | null
    /** The states of its quotas as JSON, a copy of its rows that every server has in its cache; null if none is reached. */
    quotas: Generated<string | null>
    /** The addresses of its administrators in lower case, a line each, written with `stats`; null until the next sync. */
    admins: Generated<string | null>
    /** When its stats were changed last, written by a trigger: see `changeWindow` of the store. */
    changedIn: Generated<number>
  }
  /** What was counted on a day of a site, as JSON: a copy of its rows, written with `site.stats`. */
  siteDay: { site: number; day: string; counts: string }
  tenant: {
    id: string
    idKey: string
    hostname: string
    isEnabled: number
    planId: string | null
    limits: string
    env: string | null
    site: number
    createdAt: string
    updatedAt: string
    lastJobAt: string | null
    /** When the row was changed last, written by a trigger: see `changeWindow` of the store. */
    changedIn: Generated<number>
  }
  /** Tenants that were deleted within the last day, written by a trigger. */
  tenantRemoval: { id: string; changedIn: number; removedAt: Generated<string> }
  /** Exports that the management API was asked for. */
  tenantExport: {
    id: string
    tenantId: string
    site: number
    state: 'waiting' | 'running' | 'done' | 'failed'
    /** Encrypted; null once it is not needed any more. */
    sealedPassphrase: string | null
    bytes: number | null
    error: string | null
    /** How many processes have taken it. */
    tries: number
    leasedBy: string | null
    leasedUntil: string | null
    createdAt: string
    finishedAt: string | null
    expiresAt: string | null
  }
  /** Long work that operators ask for, with its progress. */
  work: {
    id: string
    kind: 'move' | 'backup' | 'verify' | 'health'
    /** The tenant, or the name of the backup. */
    target: string
    state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
    done: number
    /** Null while it is not known how much there is. */
    total: number | null
    /** Of what. */
    unit: 'bytes' | 'rows' | 'sites' | null
    /** How much is done in a second. */
    rate: number | null
    /** JSON of who asked for it, and of who cancelled it: its process looks at that while it works. */
    author: string
    cancelledBy: string | null
    /** How often it was taken; a process writes only while the number is that of its own try. */
    tries: number
    /** How many of these processes ended without giving it back. */
    losses: number
    leasedBy: string | null
    leasedUntil: string | null
    /** JSON of what came out of it, by kind. */
    result: string | null
    error: string | null
    createdAt: string
    startedAt: string | null
    finishedAt: string | null
  }
  /** Paths that caches must forget, of all sites, until the receiver of purges has taken them. */
  waitingPurge: {
    id: string
    tenantId: string
    /** When the site was changed. */
    at: string
    hostname: string
    paths: string
    fileIds: string
    /** When it is tried next; while it is tried, when another server may. */
    nextAt: string
    attempts: number
    /** For the first time. */
    triedAt: string | null
    fault: string | null
  }
  controlKey: {
    id: Generated<number>
    name: string | null
    secretHash: string
    createdAt: string
    expiresAt: string | null
  }
  nonce: { nonce: string; expiresAt: string }
  /** The audit log of the installation: one row for each change. Triggers refuse every change of it. */
  controlAudit: {
    /** Without gaps, in the order of commits. */
    sequence: number
    at: string
    verb: string
    actor: 'operator' | 'key' | 'tool' | 'job'
    /** The operator or key, whom the row outlives, and the name of the time. */
    actorId: string | null
    actorName: string | null
    address: string | null
    userAgent: string | null
    requestId: string | null
    /** The id of what was changed; empty if the verb says it all. */
    target: string
    /** JSON of the changed fields, without secrets; `env` by its names. */
    before: string
    after: string
    /** SHA-256 of this row and of the hash before it. */
    hash: string
  }
  /** Its end, signed as the head of a site's log. */
  controlAuditHead: { id: number; sequence: number; hash: string; mac: string }
  /** On PostgreSQL: sites that a process has changed since its start, so that they are checked if it is killed. */
  changeRecord: { server: number; site: number }
  /** Answers to management calls with an Idempotency-Key. The answer is sealed: it may hold secret values of a tenant. */
  keptAnswer: { caller: string; key: string; requestHash: string; answer: string; expiresAt: string }
  /** When the next job of a site is due, and the lease of the worker that runs it. Site 0 is the installation itself. */
  job: {
    site: number
    dueAt: string | null
    /** Increases with every lease; it identifies the worker that holds the current one. */
    token: number
    leasedUntil: string | null
    failures: number
    fault: string | null
  }
}
