import { openSqliteSites } from './sqlite/sites.ts'
import { openSqliteStore } from './sqlite/store.ts'
import type { WriteTurns } from './sqlite/write-turns.ts'
import type { SiteStore, Store } from './store.ts'

export { confirmToken, lastTokenOf } from './change-tokens.ts'
export type { ControlTables } from './control-tables.ts'
export { executeLater } from './deferred.ts'
export { inspectLocation, inspectStore, rowUpgradeFrom, tableSteps, takesRowsOf } from './inspect.ts'
export type { Inspector } from './inspector.ts'
export { describePostgresUrl, isSamePostgres, parsePostgresUrl } from './postgres/hosts/url.ts'
export { prepare, prepareControl, prepareInsertion } from './prepared.ts'
export { countSiteRows, insertSiteRows, type SiteRow, type SiteRowPage, siteRowPages } from './sites/rows.ts'
export type { SiteDay, SiteReport } from './sites/stats-updates.ts'
export { changeTokenOf, isSqlite } from './sqlite/file.ts'
export { lockFolder } from './sqlite/folder-lock.ts'
export { uncleanlyClosedSites } from './sqlite/unclean-shutdown.ts'
export { openWriteTurns, type WriteTurns } from './sqlite/write-turns.ts'
export type { ChangeWindow, OpenedSite, SiteDraft, SiteRows, SiteStore, Store } from './store.ts'
export {
  type ControlDb,
  type SiteDb,
  type SiteTableName,
  type SiteTables,
  siteTables,
} from './tables.ts'
export {
  afterCommit,
  beforeCommit,
  inTransaction,
  markChecked,
  originOf,
  requestSync,
  watchedDb,
} from './transaction.ts'

interface StoreLocation {
  dataDir: string
  /** A PostgreSQL server; without one, SQLite files in the data folder. */
  databaseUrl?: string | undefined
  /** If `databaseUrl` is that of a pooler: PostgreSQL itself. */
  databaseDirectUrl?: string | undefined
  /** If other processes of the server write the same SQLite files. */
  turns?: WriteTurns | undefined
  /** Called with errors of background work, which no caller awaits. */
  onFault: (error: Error) => void
}

export async function openStore(location: StoreLocation): Promise<Store> {
  const { dataDir, databaseUrl: url, databaseDirectUrl: directUrl, turns, onFault } = location
  if (url === undefined) return openSqliteStore(dataDir, turns)
  // Loaded late: an installation on SQLite needs no client of PostgreSQL.
  const { addressOf } = await import('./postgres/hosts/address.ts')
  const { openPostgresStore } = await import('./postgres/store.ts')
  return openPostgresStore(addressOf(url, directUrl), onFault)
}

interface SiteStoreLocation extends StoreLocation {
  /** The id of the installation that the sites belong to. */
  installation: string
}

/** A database that holds sites, but not the installation's own rows. */
export async function openSiteStore(location: SiteStoreLocation): Promise<SiteStore> {
  const { dataDir, databaseUrl, installation, turns, onFault } = location
  if (databaseUrl === undefined) return (await openSqliteSites(dataDir, turns)).sites
  const { openPostgresSites } = await import('./postgres/sites.ts')
  return openPostgresSites(databaseUrl, { installation, onFault })
}
