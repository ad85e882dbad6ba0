import type { Migration } from '../migrations/migration.ts'
import type { SqliteConnection } from './connection.ts'

type Readable = Pick<SqliteConnection, 'run'>

/** Applies the missing steps, each in one transaction: after a kill the next start continues with the next step. */
export function migrateSqlite(connection: SqliteConnection, migrations: readonly Migration[]): number {
  if (pendingSteps(connection, migrations).length === 0) return 0
  connection.script('create table if not exists "migration" ("name" text primary key) without rowid')
  let applied = 0
  for (const step of pendingSteps(connection, migrations)) {
    connection.script('begin immediate')
    try {
      // Another process may have applied this step while this one waited for the lock.
      if (!appliedNames(connection).has(step.name)) {
        connection.script(step.sqlite)
        connection.run('insert into "migration" values (?)', [step.name])
        applied += 1
      }
      connection.script('commit')
    } catch (error) {
      connection.script('rollback')
      throw error
    }
  }
  return applied
}

export function pendingSteps(connection: Readable, migrations: readonly Migration[]): Migration[] {
  const names = appliedNames(connection)
  return migrations.filter((step) => !names.has(step.name))
}

function appliedNames(connection: Readable): Set<string> {
  const [table] = connection.run(`select 1 from sqlite_schema where name = 'migration'`, []).rows
  if (!table) return new Set()
  const rows = connection.run('select "name" from "migration"', []).rows as { name: string }[]
  return new Set(rows.map((row) => row.name))
}
