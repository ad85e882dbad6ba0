import { sql } from 'kysely'
import { prepareControl } from './prepared.ts'
import type { ControlDb } from './tables.ts'

const raise = prepareControl((db) =>
  db
    .updateTable('meta')
    .set({ value: sql<string>`cast(cast("value" as bigint) + 1 as text)` })
    .where('name', '=', 'version'),
)

/** The first statement of a change: whoever holds the version's row is alone with the control rows. */
export async function raiseVersion(control: ControlDb): Promise<void> {
  await raise.changes(control, {})
}
