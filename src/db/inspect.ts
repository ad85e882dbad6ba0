import { existsSync } from 'node:fs'
import type { Inspector } from './inspector.ts'
import { controlMigrations } from './migrations/control.ts'
import type { CopiedRow } from './migrations/migration.ts'
import { siteMigrations } from './migrations/site.ts'
import { controlPathOf, inspectSqlite } from './sqlite/inspect.ts'

const allSteps = [...controlMigrations, ...siteMigrations]

/** The names of all migrations of this version. */
export const tableSteps: readonly string[] = allSteps.map(({ name }) => name)

/** Whether rows of tables with only these migrations can be inserted into the tables of this version. */
export function takesRowsOf(steps: readonly string[]): boolean {
  const isKnown = new Set(steps).isSubsetOf(new Set(tableSteps))
  return isKnown && stepsAfter(steps).every((step) => step.takesOlderRows || step.upgradeRow)
}

/** Turns a site's row of tables with only these migrations into a row of today's tables. */
export function rowUpgradeFrom(steps: readonly string[]): (row: CopiedRow) => CopiedRow {
  const upgrades = stepsAfter(steps).flatMap(({ upgradeRow }) => upgradeRow ?? [])
  return (row) => upgrades.reduce((upgraded, upgrade) => upgrade(upgraded), row)
}

function stepsAfter(steps: readonly string[]) {
  const applied = new Set(steps)
  return allSteps.filter(({ name }) => !applied.has(name))
}

interface Location {
  dataDir: string
  databaseUrl?: string | undefined
  databaseDirectUrl?: string | undefined
}

/** Undefined if no installation was ever made there. */
export async function inspectStore(location: Location): Promise<Inspector | undefined> {
  const { dataDir, databaseUrl, databaseDirectUrl } = location
  if (databaseUrl !== undefined) return inspectPostgres(databaseUrl, databaseDirectUrl)
  return existsSync(controlPathOf(dataDir)) ? inspectSqlite(dataDir) : undefined
}

/** A database of single sites beside the installation's own: a PostgreSQL URL, or `sqlite:` for the data folder. */
export async function inspectLocation(dataDir: string, database: string): Promise<Inspector | undefined> {
  return database === 'sqlite:' ? inspectSqlite(dataDir) : inspectPostgres(database)
}

/** Loaded late: an installation on SQLite needs no client of PostgreSQL. */
async function inspectPostgres(url: string, directUrl?: string): Promise<Inspector | undefined> {
  const postgres = await import('./postgres/inspect.ts')
  return postgres.inspectPostgres(url, directUrl)
}
