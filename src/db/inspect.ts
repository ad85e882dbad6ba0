import { existsSync } from 'node:fs'
import { inspectPostgres } from './inspect-postgres.ts'
import { controlPathOf, inspectSqlite } from './inspect-sqlite.ts'
import { controlMigrations } from './migrations/control.ts'
import { siteMigrations } from './migrations/site.ts'

/** Every step that tables of this version have gone through. */
export const tableSteps: readonly string[] = [...controlMigrations, ...siteMigrations].map(({ name }) => name)

/** A look at a store past everything that would make, migrate or change something there. */
export interface Inspector extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** As the program calls itself: `3.53.1`. */
  readonly version: string
  /** Steps that the control tables still need. */
  pendingControl(): Promise<string[]>
  /** Steps that a site's tables still need. */
  pendingSite(site: number, placedAt?: number): Promise<string[]>
  /** What is wrong with the control tables as such, whatever the rows mean. */
  faultsOfControl(): Promise<string[]>
  faultsOfSite(site: number, placedAt?: number): Promise<string[]>
  /** Every site that has tables or rows here, whether the control tables know it or not. */
  sites(): Promise<number[]>
}

interface Place {
  dataDir: string
  databaseUrl?: string | undefined
}

/** Nothing where no installation was ever made. */
export async function inspectStore({ dataDir, databaseUrl }: Place): Promise<Inspector | undefined> {
  if (databaseUrl !== undefined) return inspectPostgres(databaseUrl)
  return existsSync(controlPathOf(dataDir)) ? inspectSqlite(dataDir) : undefined
}

/** Where single sites have their rows beside the installation's: a PostgreSQL server, or `sqlite:`. */
export async function inspectPlace(dataDir: string, database: string): Promise<Inspector | undefined> {
  return database === 'sqlite:' ? inspectSqlite(dataDir) : inspectPostgres(database)
}
