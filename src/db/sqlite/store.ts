import { join } from 'node:path'
import type { ControlTables } from '../control-tables.ts'
import { controlMigrations } from '../migrations/control.ts'
import { reportStatements } from '../sites/stats-updates.ts'
import type { ChangeRecords, ChangeWindow, Store } from '../store.ts'
import type { ControlDb } from '../tables.ts'
import { raiseVersion } from '../version.ts'
import { openSqlite } from './connection.ts'
import { kyselyOfFile, SqliteFile } from './file.ts'
import { groupCommit } from './group-commit.ts'
import { migrateSqlite } from './migrator.ts'
import { openSqliteSites } from './sites.ts'
import type { WriteTurns } from './write-turns.ts'

/** All rows in the data folder: `control.db`, and one file per site. */
export async function openSqliteStore(dataDir: string, turns?: WriteTurns): Promise<Store> {
  const { sites, threads } = await openSqliteSites(dataDir, turns)
  const controlPath = join(dataDir, 'control.db')
  const connection = openSqlite(controlPath, { mayCreate: true })
  migrateSqlite(connection, controlMigrations)
  connection.close()

  const controlFile = new SqliteFile(controlPath, threads)
  const control = kyselyOfFile<ControlTables>(controlFile)
  const version = versionOf(controlFile)

  const writeTogether = groupCommit((statements) => controlFile.writeGroup(statements))

  async function controlTransaction<T>(change: (transaction: ControlDb) => Promise<T>): Promise<T> {
    try {
      return await control.transaction().execute(change)
    } finally {
      version.forget()
    }
  }

  return {
    ...sites,
    control,
    changeRecords: noRecords,
    controlVersion: () => version.current().version,
    allStatsVersion: () => version.current().data,
    // `data_version` shows every commit immediately.
    whenCurrent: () => undefined,
    changeWindow: async () => changeWindow(controlFile),
    changeControl: (change) =>
      controlTransaction(async (transaction) => {
        await raiseVersion(transaction)
        return change(transaction)
      }),
    changeControlUnlocked: controlTransaction,
    async writeSiteStats(report) {
      const [kept] = await writeTogether(reportStatements(control, report)).finally(version.forget)
      return kept === 1
    },
    connectionWarning: async () => undefined,
    async check() {
      controlFile.read('select 1', [])
      await sites.check()
    },
    async [Symbol.asyncDispose]() {
      await controlFile.close()
      await sites[Symbol.asyncDispose]()
    },
  }
}

/** The write-ahead log of a site that was not closed is trace enough: see `unclean-shutdown.ts`. */
const noRecords: ChangeRecords = {
  record: () => undefined,
  clear: async () => undefined,
  abandoned: async () => [],
  deleteAbandoned: async () => undefined,
}

/** Transactions are serial, so a visible number means that all lower ones are visible too. */
function changeWindow(file: SqliteFile): ChangeWindow {
  const [last] = file.read(`select "value" from "meta" where "name" = 'last-change'`, []).rows as {
    value: string
  }[]
  const next = Number(last?.value) + 1
  return { from: next, until: next, history: '' }
}

/**
 * SQLite's `data_version` shows cheaply whether any connection has committed; only then the version is read. It is checked
 * once per turn of the event loop, and again after a change by this process.
 */
function versionOf(file: SqliteFile) {
  let seen = { data: -1, version: 0 }
  let isFresh = false
  const forget = () => {
    isFresh = false
  }
  const current = () => {
    if (isFresh) return seen
    const [data] = file.read('pragma data_version', []).rows as { data_version: number }[]
    if (data && data.data_version !== seen.data) {
      const [row] = file.read(`select "value" from "meta" where "name" = 'version'`, []).rows as {
        value: string
      }[]
      seen = { data: data.data_version, version: Number(row?.value) }
    }
    isFresh = true
    setImmediate(forget)
    return seen
  }
  return { current, forget }
}
