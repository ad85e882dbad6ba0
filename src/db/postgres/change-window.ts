import { sql } from 'kysely'
import type { ChangeWindow } from '../store.ts'
import type { ControlDb } from '../tables.ts'

/**
 * Transactions do not commit in the order of their numbers. All below the snapshot's `xmin` have ended, so a later read must
 * begin there; a number of `xmax` or more was written by another server, whose dump was restored here. A standby that takes
 * over gives numbers again that the lost server gave last: it is recognised by the time of its start.
 */
export async function readChangeWindow(control: ControlDb): Promise<ChangeWindow> {
  return await control
    .selectNoFrom([
      sql<number>`txid_snapshot_xmin(txid_current_snapshot())`.as('from'),
      sql<number>`txid_snapshot_xmax(txid_current_snapshot())`.as('until'),
      sql<string>`pg_postmaster_start_time()::text`.as('history'),
    ])
    .executeTakeFirstOrThrow()
}
