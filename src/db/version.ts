import { sql } from 'kysely'
import type { ControlDb } from './tables.ts'

/** The first statement of a change: whoever holds the version's row is alone with the control rows. */
export async function raiseVersion(control: ControlDb): Promise<void> {
  await control
    .updateTable('meta')
    .set({ value: sql<string>`cast(cast("value" as bigint) + 1 as text)` })
    .where('name', '=', 'version')
    .execute()
}
