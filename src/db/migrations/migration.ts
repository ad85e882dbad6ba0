/** One step of the tables' history, written for each store. Each runs in one transaction. */
export interface Migration {
  name: string
  sqlite: string
  /**
   * Each statement ends with a semicolon at the end of a line, and has no other semicolon there: they are sent one by one.
   * Citus refuses some on tables of sites that are distributed: a constraint belongs after its `add column`, and an update
   * calls immutable functions only.
   */
  postgres: string
  /** True if rows from before this step can be inserted as they are, so that an older backup can be restored. */
  takesOlderRows?: true
  /** For an older backup: the row from before this step, as the step would have changed it. */
  upgradeRow?: (row: CopiedRow) => CopiedRow
}

/** A row of a backup, with the name that its table had when the backup was made. */
export interface CopiedRow {
  table: string
  row: Record<string, string | number | null>
}
