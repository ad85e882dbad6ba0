import { sql } from 'kysely'
import { prepareControl } from './prepared.ts'
import type { ControlDb } from './tables.ts'

const next = sql<string>`cast(cast("meta"."value" as bigint) + 1 as text)`

const raise = prepareControl((db) =>
  db.updateTable('meta').set({ value: next }).where('name', '=', 'version'),
)

/** The first statement of `changeControl`: the version's row is the control lock. */
export async function raiseVersion(control: ControlDb): Promise<void> {
  await raise.changes(control, {})
}
