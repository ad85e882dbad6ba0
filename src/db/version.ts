import { sql } from 'kysely'
import { prepareControl } from './prepared.ts'
import type { ControlDb } from './tables.ts'

const next = sql<string>`cast(cast("meta"."value" as bigint) + 1 as text)`

const raise = prepareControl((db) =>
  db.updateTable('meta').set({ value: next }).where('name', '=', 'version'),
)

const raiseToldOnPostgres = prepareControl((db) =>
  db
    .with('alone', (alone) =>
      alone.selectFrom('meta').select('name').where('name', '=', 'version').forUpdate(),
    )
    .insertInto('meta')
    .columns(['name', 'value'])
    .expression((eb) => eb.selectFrom('alone').select([sql.lit('told').as('name'), sql.lit('1').as('value')]))
    .onConflict((known) => known.column('name').doUpdateSet({ value: next })),
)

/** The first statement of a change: whoever holds the version's row is alone with the control rows. */
export async function raiseVersion(control: ControlDb): Promise<void> {
  await raise.changes(control, {})
}

/** The same for what is only told of sites: alone with the control rows too, whose version stays. For PostgreSQL. */
export async function raiseTold(control: ControlDb): Promise<void> {
  await raiseToldOnPostgres.changes(control, {})
}
