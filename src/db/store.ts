import type { ControlDb, SiteDb } from './tables.ts'

/** A site's tables, opened. */
export interface OpenedSite {
  db: SiteDb
  close(): Promise<void>
}

/** A site's tables, filled but not yet in their place. */
export interface SiteDraft {
  /** Puts them where `openSite` finds them, in place of what an unfinished install left there. */
  place(): Promise<void>
  /** Does nothing once they are placed. */
  discard(): Promise<void>
}

/** Where rows live: SQLite files in the data folder, or a PostgreSQL server. */
export interface Store extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  readonly control: ControlDb
  /** Rises whenever a tenant, plan or key may have changed, whoever changed it. */
  controlVersion(): number
  /** One transaction over control rows, alone with them from its start; everybody's version rises with it. */
  changeControl<T>(change: (control: ControlDb) => Promise<T>): Promise<T>
  draftSite(site: number, fill: (db: SiteDb) => Promise<void>): Promise<SiteDraft>
  openSite(site: number): Promise<OpenedSite>
  /** May be repeated; a site that is not there is dropped already. */
  dropSite(site: number): Promise<void>
  /** Brings one site's tables up to date. */
  migrateSite(site: number): Promise<void>
  /** Throws when the store does not answer. */
  check(): Promise<void>
}
