import { openPostgresStore } from './postgres-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

export { holdFolder } from './folder-lock.ts'
export type { OpenedSite, SiteDraft, Store } from './store.ts'
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
