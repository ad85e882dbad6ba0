import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Message, message } from '../../lib/messages.ts'
import type { Inspector } from '../inspector.ts'
import { controlMigrations } from '../migrations/control.ts'
import type { Migration } from '../migrations/migration.ts'
import { siteMigrations } from '../migrations/site.ts'
import { openSqlite, type SqliteConnection } from './connection.ts'
import { pendingSteps } from './migrator.ts'

export const controlPathOf = (dataDir: string): string => join(dataDir, 'control.db')

export function inspectSqlite(dataDir: string): Inspector {
  const controlPath = controlPathOf(dataDir)
  const pathIn = (folder: string) => join(dataDir, 'sites', folder, 'site.db')
  const pathOf = (site: number, rowsGeneration = 0) =>
    pathIn(rowsGeneration === 0 ? `${site}` : `${site}-${rowsGeneration}`)
  const pending = (path: string, steps: readonly Migration[]) =>
    reading(path, (file) => pendingSteps(file, steps).map(({ name }) => name))
  return {
    kind: 'sqlite',
    version: sqliteVersion(),
    pendingControl: async () => pending(controlPath, controlMigrations),
    pendingSite: async (site, rowsGeneration) => pending(pathOf(site, rowsGeneration), siteMigrations),
    faultsOfControl: async () => faultsIn(controlPath),
    faultsOfDistribution: async () => [],
    faultsOfSite: async (site, rowsGeneration) => faultsIn(pathOf(site, rowsGeneration)),
    async sites() {
      const names = await readdir(join(dataDir, 'sites')).catch(() => [])
      const filled = names.filter((name) => /^\d+(-\d+)?$/.test(name) && existsSync(pathIn(name)))
      return [...new Set(filled.map((name) => Number.parseInt(name, 10)))]
    },
    async [Symbol.asyncDispose]() {},
  }
}

function sqliteVersion(): string {
  const memory = openSqlite(':memory:', { mayCreate: true })
  const [row] = memory.run('select sqlite_version() as version', []).rows as { version: string }[]
  memory.close()
  return row?.version ?? ''
}

/** A broken file may have a fault on every page. */
const mostFaults = 20

function faultsIn(path: string): (Message | string)[] {
  try {
    return reading(path, (file) => [...brokenPages(file), ...brokenReferences(file)])
  } catch (error) {
    return [(error as Error).message]
  }
}

function brokenPages(file: SqliteConnection): string[] {
  const rows = file.run(`pragma integrity_check(${mostFaults})`, []).rows as { integrity_check: string }[]
  return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
}

function brokenReferences(file: SqliteConnection): Message[] {
  const rows = file.run('pragma foreign_key_check', []).rows as { table: string; parent: string }[]
  const pairs = Map.groupBy(rows, ({ table, parent }) => `${table} ${parent}`)
  return [...pairs.values()].map((broken) => {
    const [{ table, parent } = { table: '', parent: '' }] = broken
    return message('rowsWithoutParent', { count: broken.length, table: `"${table}"`, parent: `"${parent}"` })
  })
}

function reading<T>(path: string, read: (file: SqliteConnection) => T): T {
  const file = openSqlite(path, { isReader: true })
  try {
    return read(file)
  } finally {
    file.close()
  }
}
