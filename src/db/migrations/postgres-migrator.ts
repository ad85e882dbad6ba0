import type pg from 'pg'
import type { Migration } from './migration.ts'

/** Any number, the same on every server: only one of them migrates at a time. */
const lockNumber = 7_238_117

/** Brings a database up to date. Each step is one transaction, so a kill leaves a database that goes on from there. */
export async function migratePostgres(
  client: pg.ClientBase,
  migrations: readonly Migration[],
): Promise<number> {
  await client.query('select pg_advisory_lock($1)', [lockNumber])
  try {
    await client.query('create table if not exists "migration" ("name" text primary key)')
    const { rows } = await client.query<{ name: string }>('select "name" from "migration"')
    const applied = new Set(rows.map((row) => row.name))
    const pending = migrations.filter((step) => !applied.has(step.name))
    for (const step of pending) await applyStep(client, step)
    return pending.length
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockNumber])
  }
}

async function applyStep(client: pg.ClientBase, step: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(step.postgres)
    await client.query('insert into "migration" values ($1)', [step.name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
