import type pg from 'pg'
import { retryInterfered } from '../faults.ts'
import type { Migration } from '../migrations/migration.ts'

/** An arbitrary number that all servers share, so that only one of them migrates at a time. */
export const migrationLock = 7_238_117

/**
 * Applies the missing steps, each in one transaction with `afterStep`: after a kill the next start continues with the next
 * step.
 */
export async function migratePostgres(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  afterStep: (client: pg.ClientBase) => Promise<void> = async () => undefined,
): Promise<number> {
  await client.query('select pg_advisory_lock($1)', [migrationLock])
  try {
    await client.query('create table if not exists "migration" ("name" text primary key)')
    const { rows } = await client.query<{ name: string }>('select "name" from "migration"')
    const applied = new Set(rows.map((row) => row.name))
    const pending = migrations.filter((step) => !applied.has(step.name))
    for (const step of pending) await retryInterfered(() => applyStep(client, step, afterStep))
    return pending.length
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock])
  }
}

/** One statement per query: some poolers allow no more, and an error then names its statement. */
const statementsOf = (step: string) => step.split(/;[ \t]*(?:\n|$)/).filter((text) => text.trim() !== '')

async function applyStep(
  client: pg.ClientBase,
  step: Migration,
  afterStep: (client: pg.ClientBase) => Promise<void>,
): Promise<void> {
  await client.query('begin')
  try {
    for (const statement of statementsOf(step.postgres)) await client.query(statement)
    await afterStep(client)
    await client.query('insert into "migration" values ($1)', [step.name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
