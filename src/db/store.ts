import type { SiteReport } from './sites/stats-updates.ts'
import type { ControlDb, SiteDb } from './tables.ts'

/** A site's tables, opened. */
export interface OpenedSite {
  db: SiteDb
  close(): Promise<void>
}

/** A site's tables, filled, but not yet where `openSite` finds them. */
export interface SiteDraft {
  /** Moves them to where `openSite` finds them; replaces what an unfinished install left there. */
  publish(): Promise<void>
  /** Does nothing once they are published. */
  discard(): Promise<void>
}

export type FillSite = (db: SiteDb) => Promise<void>

/** Identifies one copy of a site's rows, and the generation that may write it. */
export interface SiteRows {
  /** The generation that created this copy: 0 is the install, a higher number is a move. */
  rowsGeneration: number
  /** The write fence must have this generation; a move raises it, so that servers with an older one can no longer write. */
  generation: number
}

export const firstRows: SiteRows = { rowsGeneration: 0, generation: 0 }

/** A database of sites' rows: SQLite files in the data folder, or a PostgreSQL server. */
export interface SiteStore extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** A new site's tables with their first, few rows. `fill` must await nothing but its inserts: drafts are filled one at a time. */
  draftSite(site: number, fill: FillSite): Promise<SiteDraft>
  /** Tables filled with rows that are copied from another store or from a backup. */
  draftCopy(site: number, fill: FillSite, rowsGeneration?: number): Promise<SiteDraft>
  /** Writing transactions are refused once the write fence has another generation. */
  openSite(site: number, rows?: SiteRows): Promise<OpenedSite>
  /** The site's rows as of this moment, read-only; it blocks no writer. */
  snapshotSite(site: number, rowsGeneration?: number): Promise<OpenedSite>
  /** Idempotent: dropping a site that does not exist does nothing. */
  dropSite(site: number, rowsGeneration?: number): Promise<void>
  /** Deletes the old rows after a move, unless a later move has replaced them. The write fence stays, so that servers with the old generation stay fenced off. */
  dropStaleRows(site: number, rows: SiteRows): Promise<void>
  /** Waits for open writing transactions, then moves the fence from one generation to another; false if it has neither of the two. */
  setWriteFence(site: number, fence: { rowsGeneration: number; from: number; to: number }): Promise<boolean>
  /** Brings one site's tables up to date. */
  migrateSite(site: number, rowsGeneration?: number): Promise<void>
  /** Distributes the tables of all sites over the workers of Citus; returns those that were not distributed yet. */
  distribute(): Promise<string[]>
  /** Throws if the database does not answer. */
  check(): Promise<void>
}

/** A site that a process has changed. */
export interface ChangeRecord {
  server: number
  site: number
}

/** The trace that a killed process leaves of sites whose change it may not have synced. */
export interface ChangeRecords {
  /** Before a change. Writes once for each site; undefined where the store has another trace. */
  record(site: number): Promise<void> | undefined
  /** At a clean stop: all but the sites whose sync has failed. */
  clear(unsynced: readonly number[]): Promise<void>
  /** The records of processes that have ended without a clean stop. */
  abandoned(): Promise<ChangeRecord[]>
  deleteAbandoned(records: readonly ChangeRecord[]): Promise<void>
}

/** A moment in the order of changes, as `changedIn` of tenants and sites has it. */
export interface ChangeWindow {
  /** Every change below this is visible to the next statement: a later read begins here. */
  from: number
  /** No visible change has this number or a higher one. */
  until: number
  /** Numbers can be compared only within one history: a server that took over may not have the last changes of the other. */
  history: string
}

/** The installation's own rows, and the rows of sites that have no database of their own. */
export interface Store extends SiteStore {
  readonly control: ControlDb
  readonly changeRecords: ChangeRecords
  /**
   * The two versions below follow change notifications. Before a cached value is used because a version has not changed,
   * await this: it resolves when a check that was sent less than a second ago is answered; undefined if one already is.
   */
  whenCurrent(): Promise<void> | undefined
  /** Increases whenever a tenant, plan or key may have changed, in any process. */
  controlVersion(): number
  /** Increases with `controlVersion`, and whenever the stats of a site may have changed. */
  allStatsVersion(): number
  /** Read before tenants are read: their changes since then are found from `from` of one window up to `until` of the next. */
  changeWindow(): Promise<ChangeWindow>
  /** One transaction that holds the control lock from its start; it increases `controlVersion` in every process. */
  changeControl<T>(change: (control: ControlDb) => Promise<T>): Promise<T>
  /**
   * One transaction without the control lock, for stats and job rows of one site. On PostgreSQL it locks only the rows
   * that it writes, so that other sites do not wait; on SQLite it holds the only write lock, so it must not await anything else.
   */
  changeControlUnlocked<T>(change: (control: ControlDb) => Promise<T>): Promise<T>
  /** What keeps the process from the connections that it opens at most, for the operator; undefined if nothing does. */
  connectionWarning(): Promise<string | undefined>
  /** Writes a site's report; false if a newer report is stored, or the site no longer exists. */
  writeSiteStats(report: SiteReport): Promise<boolean>
}
