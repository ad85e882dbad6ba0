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

export type FillSite = (db: SiteDb) => Promise<void>

/** Which rows of a site are meant, and for whom they are open. */
export interface SiteRows {
  /** The generation that brought them there: 0 for those of the install, else a move's. */
  placedAt: number
  /** What the gate must say for who writes: a move closes it to all that know only an older one. */
  generation: number
}

export const firstRows: SiteRows = { placedAt: 0, generation: 0 }

/** Where the rows of sites live: SQLite files in the data folder, or a PostgreSQL server. */
export interface SiteStore extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** A new site's tables with their first rows, which are few. Whoever inserts them waits for nothing else meanwhile. */
  draftSite(site: number, fill: FillSite): Promise<SiteDraft>
  /** Tables for rows that come from elsewhere, with them. */
  draftCopy(site: number, fill: FillSite, placedAt?: number): Promise<SiteDraft>
  /** Every writing transaction is refused once the gate says another generation. */
  openSite(site: number, rows?: SiteRows): Promise<OpenedSite>
  /** The site's rows as they are at this moment, to be read only, without holding up anybody. */
  snapshotSite(site: number, placedAt?: number): Promise<OpenedSite>
  /** May be repeated; a site that is not there is dropped already. */
  dropSite(site: number, placedAt?: number): Promise<void>
  /** Removes rows that a move has left, unless others have come in their place. Who knew them still finds the gate closed. */
  leaveSite(site: number, rows: SiteRows): Promise<void>
  /** Waits for those who write, then opens the site's rows to another generation; false when the gate says neither. */
  passGate(site: number, gate: { placedAt: number; from: number; to: number }): Promise<boolean>
  /** Brings one site's tables up to date. */
  migrateSite(site: number, placedAt?: number): Promise<void>
  /** Throws when the store does not answer. */
  check(): Promise<void>
}

/** The installation's own rows, and those of its sites that are not elsewhere. */
export interface Store extends SiteStore {
  readonly control: ControlDb
  /** Rises whenever a tenant, plan or key may have changed, whoever changed it. */
  controlVersion(): number
  /** Rises with it, and with whatever is told of sites. */
  toldVersion(): number
  /** One transaction over control rows, alone with them from its start; everybody's version rises with it. */
  changeControl<T>(change: (control: ControlDb) => Promise<T>): Promise<T>
  /** The same for what is only told of sites: their totals, and when something was or is to be done there. */
  tellControl<T>(change: (control: ControlDb) => Promise<T>): Promise<T>
}
