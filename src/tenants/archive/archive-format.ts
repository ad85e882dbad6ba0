import { type SiteTableName, siteTables } from '../../db/index.ts'

/** The first line of the manifest, which is the last entry. */
export interface ArchiveHead {
  format: 'terrace-tenant'
  version: 1
  id: string
  hostname: string
  /** When the archive was made. */
  created_at: string
  has_secrets: boolean
  /** How many entries come before the manifest, and the sum of their lengths. */
  entries: number
  bytes: number
}

/** Each further line of the manifest, in the order of the entries. */
export interface ListedEntry {
  name: string
  size: number
  sha256: string
}

export const formatName = 'terrace-tenant'
export const formatVersion = 1

export const manifestName = 'manifest.ndjson'
/** What the control tables have of the tenant: one line. */
export const tenantName = 'tables/tenant.ndjson'
export const secretsName = 'tables/secrets.ndjson'
export const nameOfTable = (table: SiteTableName) => `tables/${table}.ndjson`
export const nameOfKey = (key: string) => `bytes/${key}`

export interface TenantLine {
  isEnabled: boolean
  limits: Record<string, string>
  createdAt: string
  installedAt: string
  /** The migrations that the tables have. */
  steps: readonly string[]
}

/**
 * Sessions, the counters of rate limits and what was told about quotas belong to the installation that wrote them, and totals are
 * counted anew. The other tables are those of a backup.
 */
const leftOut: ReadonlySet<SiteTableName> = new Set<SiteTableName>([
  'session',
  'total',
  'userTotal',
  'quotaState',
  'rateLimitHit',
  'passwordTry',
  'loginTry',
])

/** In an order in which their rows can be inserted. */
export const archivedTables: readonly SiteTableName[] = (Object.keys(siteTables) as SiteTableName[]).filter(
  (table) => siteTables[table].isInBackup && !leftOut.has(table),
)

const longestName = 1_000
const tableNames = new Set([tenantName, secretsName, ...archivedTables.map(nameOfTable)])
const bytesForm = /^bytes(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/

export const isEntryName = (name: string): boolean =>
  name.length <= longestName && (name === manifestName || tableNames.has(name) || bytesForm.test(name))
