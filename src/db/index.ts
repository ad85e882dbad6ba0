import { openPostgresSites } from './postgres-sites.ts'
import { openPostgresStore } from './postgres-store.ts'
import { openSqliteSites } from './sqlite-sites.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { SiteStore, Store } from './store.ts'

export { holdFolder } from './folder-lock.ts'
export { type Inspector, inspectPlace, inspectStore, tableSteps } from './inspect.ts'
export { sitesWithLog } from './left-logs.ts'
export { prepare, prepareControl, prepareInsertion } from './prepared.ts'
export {
  insertSiteRows,
  type SiteRow,
  type SiteRowPage,
  type SiteTableName,
  siteRowPages,
} from './site-rows.ts'
export { isInFile, stateOf } from './sqlite-file.ts'
export type { OpenedSite, SiteDraft, SiteRows, SiteStore, Store } from './store.ts'
export type { ControlDb, ControlTables, SiteDb, SiteTables } from './tables.ts'
export { inTransaction } from './transaction.ts'

interface StorePlace {
  dataDir: string
  /** A PostgreSQL server; without one, SQLite files in the data folder. */
  databaseUrl?: string | undefined
  /** Told of trouble that no caller is waiting for. */
  onFault: (error: Error) => void
}

export function openStore({ dataDir, databaseUrl, onFault }: StorePlace): Promise<Store> {
  return databaseUrl === undefined ? openSqliteStore(dataDir) : openPostgresStore(databaseUrl, onFault)
}

interface SitesPlace extends StorePlace {
  /** Whose sites they are. */
  installation: string
}

/** Where sites may be without the installation itself. */
export async function openSiteStore(place: SitesPlace): Promise<SiteStore> {
  const { dataDir, databaseUrl, installation, onFault } = place
  if (databaseUrl !== undefined) return openPostgresSites(databaseUrl, { installation, onFault })
  return (await openSqliteSites(dataDir)).sites
}
