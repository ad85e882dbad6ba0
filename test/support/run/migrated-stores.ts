import { copyFile, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { openStore } from '../../../src/db/index.ts'
import { copyOfDatabase, freshDatabaseUrl } from '../stores/postgres.ts'

// Stores with all tables and no row of an installation, as the first moment of a start leaves them. A worker creates the
// tables once for each kind of store, and copies them for each app.

let file: Promise<string> | undefined
let database: Promise<string> | undefined

/** Puts an empty control database into a data folder. */
export async function addMigratedFile(dataDir: string): Promise<void> {
  file ??= migrateFile()
  await copyFile(await file, join(dataDir, 'control.db'))
}

/** A new PostgreSQL database with all tables. */
export async function migratedDatabaseUrl(): Promise<string> {
  database ??= migrateDatabase()
  return copyOfDatabase(await database)
}

async function migrateFile(): Promise<string> {
  const dataDir = await mkdtemp(join(inject('runFolder'), 'store-'))
  await migrate({ dataDir })
  return join(dataDir, 'control.db')
}

async function migrateDatabase(): Promise<string> {
  const databaseUrl = await freshDatabaseUrl()
  await migrate({ dataDir: inject('runFolder'), databaseUrl })
  return databaseUrl
}

async function migrate(location: { dataDir: string; databaseUrl?: string }): Promise<void> {
  const faults: Error[] = []
  const store = await openStore({ ...location, onFault: (error) => faults.push(error) })
  await store[Symbol.asyncDispose]()
  if (faults[0]) throw faults[0]
}
